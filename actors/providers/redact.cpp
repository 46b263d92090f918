#include "actors/providers/redact.hpp"

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <string_view>

namespace notify {

namespace {

/// Fewer characters of a secret help nobody, and would cut ordinary words.
constexpr size_t shortest_piece = 6;

void drop_cut_secret(std::string& text, std::string_view secret) {
  for (auto length = std::min(text.size(), secret.size()); length >= shortest_piece; --length) {
    if (!text.ends_with(secret.substr(0, length)))
      continue;
    text.resize(text.size() - length);
    return;
  }
}

} // namespace

std::string redacted(std::string text, const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) {
    if (secret.empty())
      continue;
    boost::algorithm::replace_all(text, secret, "***");
    drop_cut_secret(text, secret);
  }
  return text;
}

} // namespace notify

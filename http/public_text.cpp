#include "http/public_text.hpp"

#include "messages/error.hpp"
#include "messages/safe_text.hpp"

#include <algorithm>

namespace notify::http {

namespace {

/// Errors whose context is not of our own wording.
constexpr ec foreign[] = {
    ec::storage_unavailable, ec::storage_conflict, ec::storage_data, ec::storage_schema,
    ec::kafka_unavailable,   ec::kafka_fatal,      ec::crashed};

} // namespace

std::string public_text(std::string_view text) {
  auto end = text.size();
  for (auto code : foreign) {
    auto name = to_string(code) + "(";
    auto at = text.find(name);
    if (at != std::string_view::npos)
      end = std::min(end, at + name.size() - 1);
  }
  return safe_text(text.substr(0, end), 512);
}

} // namespace notify::http

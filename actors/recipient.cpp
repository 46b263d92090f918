#include "actors/recipient.hpp"

#include <algorithm>

namespace notify {

namespace {

/// RFC 5321: 64 for the local part, 255 for the domain, and the @.
constexpr size_t max_local_bytes = 64;
constexpr size_t max_domain_bytes = 255;
constexpr size_t max_recipient_bytes = 2048;

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

bool is_bad_domain(std::string_view domain) {
  return domain.empty() || domain.size() > max_domain_bytes || domain.front() == '.'
         || domain.back() == '.' || domain.find("..") != std::string_view::npos;
}

std::string_view address_problem(std::string_view address) {
  // Quoted local parts would allow these; nobody's customers have them, but header injectors do.
  if (address.find_first_of(" \"(),:;<>[\\]") != std::string_view::npos)
    return "has characters that a plain mail address cannot have";
  auto at = address.find('@');
  if (at == std::string_view::npos || address.find('@', at + 1) != std::string_view::npos)
    return "must have exactly one @";
  if (at == 0 || at > max_local_bytes)
    return "must have 1 to 64 bytes before the @";
  if (is_bad_domain(address.substr(at + 1)))
    return "has no domain after the @";
  return {};
}

} // namespace

std::string_view recipient_problem(std::string_view channel, std::string_view recipient) {
  if (has_control_character(recipient))
    return "has control characters";
  if (recipient.size() > max_recipient_bytes)
    return "is longer than 2048 bytes";
  if (channel == "email" || channel.starts_with("email-"))
    return address_problem(recipient);
  return {};
}

} // namespace notify

#include "actors/providers/mail_address.hpp"

#include "messages/error.hpp"
#include "messages/safe_text.hpp"

#include <glib.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace notify {

namespace {

constexpr size_t max_local = 64;
constexpr size_t max_domain = 255;
constexpr size_t max_address = 254;

bool is_alnum(char x) {
  return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9');
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char x) { return x < 0x80; });
}

/// `atext` of RFC 5322 and the dot.
bool is_local_ascii(char x) {
  return is_alnum(x) || std::string_view{"!#$%&'*+-/=?^_`{|}~."}.find(x) != std::string_view::npos;
}

/// Letters of any script; but no spaces, line separators or other controls beyond ASCII, which
/// some readers take for the end of a line.
bool is_local_unicode(std::string_view character) {
  auto code = g_utf8_get_char(std::string{character}.c_str());
  auto type = g_unichar_type(code);
  return g_unichar_isgraph(code) && type != G_UNICODE_LINE_SEPARATOR
         && type != G_UNICODE_PARAGRAPH_SEPARATOR && type != G_UNICODE_FORMAT;
}

bool is_local(std::string_view text) {
  if (text.empty() || text.size() > max_local)
    return false;
  while (!text.empty()) {
    auto length = utf8_character(text);
    if (length == 0)
      return false;
    if (length == 1 ? !is_local_ascii(text[0]) : !is_local_unicode(text.substr(0, length)))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-'
         && std::all_of(text.begin(), text.end(),
                        [](char x) { return is_alnum(x) || x == '-' || x == '_'; });
}

bool is_domain_name(std::string_view text) {
  if (text.empty() || text.size() > max_domain)
    return false;
  for (;;) {
    auto dot = text.find('.');
    if (!is_label(text.substr(0, dot)))
      return false;
    if (dot == std::string_view::npos)
      return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_address_literal(std::string_view text) {
  return text.size() > 2 && text.size() <= max_domain && text.front() == '[' && text.back() == ']'
         && std::all_of(text.begin() + 1, text.end() - 1,
                        [](char x) { return is_alnum(x) || x == '.' || x == ':'; });
}

/// The A-label form; none if the name is not one.
std::optional<std::string> ascii_domain(std::string_view text) {
  if (is_ascii(text)) {
    if (is_domain_name(text) || is_address_literal(text))
      return std::string{text};
    return std::nullopt;
  }
  std::string copy{text};
  if (copy.size() > max_domain || safe_text(copy, copy.size()) != copy)
    return std::nullopt;
  std::unique_ptr<char, decltype(&g_free)> converted{g_hostname_to_ascii(copy.c_str()), &g_free};
  if (!converted || !is_domain_name(converted.get()))
    return std::nullopt;
  return std::string{converted.get()};
}

caf::error refused(std::string why) {
  return caf::make_error(ec::invalid_event, std::move(why));
}

} // namespace

bool mail_address::needs_smtputf8() const {
  return !is_ascii(local);
}

caf::expected<mail_address> parse_mail_address(std::string_view text) {
  auto at = text.rfind('@');
  if (at == std::string_view::npos)
    return refused("the address has no @");
  auto local = text.substr(0, at);
  if (!is_local(local))
    return refused("the part before the @ is not a plain mailbox name");
  auto domain = ascii_domain(text.substr(at + 1));
  if (!domain)
    return refused("the part after the @ is not a domain");
  if (local.size() + 1 + domain->size() > max_address)
    return refused("the address is longer than 254 bytes");
  return mail_address{std::string{local}, std::move(*domain)};
}

} // namespace notify

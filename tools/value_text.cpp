#include "tools/value_text.hpp"

#include <caf/expected.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

namespace notify {

namespace {

std::string trimmed(std::string_view x) {
  auto first = x.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  auto last = x.find_last_not_of(" \t");
  return std::string{x.substr(first, last - first + 1)};
}

std::string real_text(double x) {
  std::array<char, 64> buffer{};
  auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), result.ptr};
}

} // namespace

std::string quoted_text(const std::string& x) {
  std::string result = "\"";
  for (auto c : x) {
    switch (c) {
    case '\n':
      result += "\\n";
      break;
    case '\r':
      result += "\\r";
      break;
    case '\t':
      result += "\\t";
      break;
    case '\\':
    case '"':
      result += '\\';
      [[fallthrough]];
    default:
      result += c;
    }
  }
  return result += '"';
}

std::string list_text(const std::vector<std::string>& items) {
  std::string result = "[";
  for (const auto& x : items) {
    if (result.size() > 1)
      result += ", ";
    result += x;
  }
  return result += ']';
}

std::string in_words(const caf::config_value& x) {
  if (auto integer = caf::get_if<int64_t>(&x))
    return "the number " + std::to_string(*integer);
  if (auto flag = caf::get_if<bool>(&x))
    return *flag ? "true" : "false";
  if (auto real = caf::get_if<double>(&x))
    return "the number " + real_text(*real);
  if (auto span = caf::get_if<caf::timespan>(&x))
    return "the duration " + duration_text(*span);
  if (auto text = caf::get_if<std::string>(&x))
    return "the text " + quoted_text(*text);
  if (auto atom = caf::get_if<caf::atom_value>(&x))
    return "the atom '" + caf::to_string(*atom) + "'";
  if (caf::holds_alternative<caf::config_value::list>(x))
    return "a list";
  if (caf::holds_alternative<caf::config_value::dictionary>(x))
    return "a map";
  return "a URI in angle brackets";
}

caf::config_value value_from_text(const std::string& text) {
  auto first = text.empty() ? '\0' : text.front();
  auto numeric = (first >= '0' && first <= '9') || first == '+' || first == '-' || first == '.';
  if (numeric || text == "true" || text == "false")
    if (auto value = caf::config_value::parse(text))
      return std::move(*value);
  return caf::config_value{text};
}

std::vector<std::string> split_list(const std::string& text) {
  auto body = trimmed(text);
  if (body.size() >= 2 && body.front() == '[' && body.back() == ']')
    body = trimmed(std::string_view{body}.substr(1, body.size() - 2));
  std::vector<std::string> result;
  if (body.empty())
    return result;
  std::string item;
  bool in_quotes = false;
  auto finish = [&] {
    result.push_back(trimmed(item));
    item.clear();
  };
  for (auto c : body) {
    if (c == '"')
      in_quotes = !in_quotes;
    else if (c == ',' && !in_quotes)
      finish();
    else
      item += c;
  }
  finish();
  return result;
}

} // namespace notify

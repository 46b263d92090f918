#include "actors/strict_json.hpp"

#include <boost/json/parse.hpp>

namespace notify {

namespace {

/// Walks over text that is known to be valid JSON, so it need not look twice at anything.
class json_walker {
public:
  explicit json_walker(std::string_view text) : text_(text) {}

  char peek() {
    at_ = text_.find_first_not_of(" \t\r\n", at_);
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void skip(size_t count) { at_ += count; }

  /// The string at the current place, quotes included.
  std::string_view string() {
    auto begin = at_++;
    while (text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// The value at the current place.
  std::string_view value() {
    auto begin = at_;
    if (text_[at_] == '"')
      return string();
    if (text_[at_] != '{' && text_[at_] != '[') {
      at_ = std::min(text_.find_first_of(",}] \t\r\n", at_), text_.size());
      return text_.substr(begin, at_ - begin);
    }
    size_t depth = 0;
    do {
      auto c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      ++at_;
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

private:
  std::string_view text_;
  size_t at_ = 0;
};

bool is_name(std::string_view quoted, std::string_view name) {
  if (quoted.find('\\') != std::string_view::npos) {
    boost::json::error_code error;
    auto key = boost::json::parse({quoted.data(), quoted.size()}, error);
    return !error && key.is_string() && std::string_view{key.get_string()} == name;
  }
  return quoted.substr(1, quoted.size() - 2) == name;
}

} // namespace

std::optional<std::string_view> member_text(std::string_view text, std::string_view name) {
  json_walker walker{text};
  std::optional<std::string_view> result;
  if (walker.peek() != '{')
    return result;
  walker.skip(1);
  while (walker.peek() == '"') {
    auto key = walker.string();
    walker.peek();
    walker.skip(1);
    walker.peek();
    auto value = walker.value();
    if (is_name(key, name))
      result = value;
    if (walker.peek() == ',')
      walker.skip(1);
  }
  return result;
}

} // namespace notify

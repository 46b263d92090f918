#include "actors/strict_json.hpp"

#include "actors/utf8.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>

namespace notify {

namespace {

namespace json = boost::json;

/// Builds the document and looks at what the parser itself does not mind.
class document_handler {
public:
  static constexpr size_t max_object_size = json::object::max_size();
  static constexpr size_t max_array_size = json::array::max_size();
  static constexpr size_t max_key_size = json::string::max_size();
  static constexpr size_t max_string_size = json::string::max_size();

  document_handler(const json_options& options, bool may_hold_nul, unsigned char* buffer,
                   size_t buffer_size)
      : stack_(json::storage_ptr{}, buffer, buffer_size), members_left_(options.max_members),
        may_hold_nul_(may_hold_nul), numbers_as_text_(options.numbers_as_text) {
    stack_.reset(options.storage);
  }

  json::value release() { return stack_.release(); }
  json_fault fault() const { return fault_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  bool on_object_end(size_t n, json::error_code&) {
    count_members(n);
    stack_.push_object(n);
    return true;
  }

  bool on_array_end(size_t n, json::error_code&) {
    count_members(n);
    stack_.push_array(n);
    return true;
  }

  bool on_key_part(json::string_view s, size_t, json::error_code&) {
    look_for_nul(s);
    stack_.push_chars(s);
    return true;
  }

  bool on_key(json::string_view s, size_t, json::error_code&) {
    look_for_nul(s);
    stack_.push_key(s);
    return true;
  }

  bool on_string_part(json::string_view s, size_t, json::error_code&) {
    look_for_nul(s);
    stack_.push_chars(s);
    return true;
  }

  bool on_string(json::string_view s, size_t, json::error_code&) {
    look_for_nul(s);
    stack_.push_string(s);
    return true;
  }

  bool on_number_part(json::string_view s, json::error_code&) {
    number_.append(s.data(), s.size());
    return true;
  }

  bool on_int64(int64_t i, json::string_view s, json::error_code&) {
    if (!keep_as_text(s))
      stack_.push_int64(i);
    return true;
  }

  bool on_uint64(uint64_t u, json::string_view s, json::error_code&) {
    if (!keep_as_text(s))
      stack_.push_uint64(u);
    return true;
  }

  /// Also takes the integers that fit no 64 bits.
  bool on_double(double d, json::string_view s, json::error_code&) {
    if (numbers_as_text_) {
      keep_as_text(s);
      return true;
    }
    number_.append(s.data(), s.size());
    check(plain_number(number_));
    number_.clear();
    stack_.push_double(d);
    return true;
  }

  bool on_bool(bool b, json::error_code&) {
    stack_.push_bool(b);
    return true;
  }

  bool on_null(json::error_code&) {
    stack_.push_null();
    return true;
  }

private:
  void note(json_fault x) {
    if (fault_ == json_fault::none)
      fault_ = x;
  }

  void count_members(size_t n) {
    if (n > members_left_)
      note(json_fault::too_many_members);
    members_left_ -= std::min(n, members_left_);
  }

  void look_for_nul(json::string_view s) {
    if (may_hold_nul_ && s.find('\0') != json::string_view::npos)
      note(json_fault::nul_character);
  }

  void check(const std::optional<std::string>& plain) {
    if (plain && plain->size() > number_.size())
      growth_ += plain->size() - number_.size();
    if (!plain || growth_ > max_number_growth)
      note(json_fault::invalid_number);
  }

  bool keep_as_text(json::string_view s) {
    if (!numbers_as_text_) {
      number_.clear();
      return false;
    }
    number_.append(s.data(), s.size());
    auto plain = plain_number(number_);
    check(plain);
    stack_.push_string(plain ? *plain : number_);
    number_.clear();
    return true;
  }

  json::value_stack stack_;
  std::string number_; ///< Parts of a number that the parser gave in pieces.
  size_t growth_ = 0;
  size_t members_left_;
  json_fault fault_ = json_fault::none;
  bool may_hold_nul_;
  bool numbers_as_text_;
};

/// True if the escape of a leading surrogate ends at `position` or one byte before it: there the
/// parser calls it a syntax error that no second escape follows.
bool is_after_leading_surrogate(std::string_view text, size_t position) {
  constexpr size_t length = 6; // \uD800
  for (auto end : {position, position - 1}) {
    if (end < length || end > text.size())
      continue;
    auto escape = text.substr(end - length, length);
    if (escape.starts_with("\\u") && (escape[2] == 'd' || escape[2] == 'D')
        && std::string_view{"89abAB"}.find(escape[3]) != std::string_view::npos)
      return true;
  }
  return false;
}

/// The parser reports most things as a syntax error; a dead letter should say more.
void explain(json_document& result, std::string_view text, json::error_code error) {
  if (error == json::error::too_deep) {
    result.fault = json_fault::too_deep;
  } else if (error == json::error::exponent_overflow) {
    result.fault = json_fault::invalid_number;
  } else if (error == json::error::illegal_leading_surrogate
             || error == json::error::illegal_trailing_surrogate
             || error == json::error::expected_utf16_escape
             || is_after_leading_surrogate(text, result.position)) {
    result.fault = json_fault::not_unicode;
  } else if (auto at = invalid_utf8(text)) {
    result.fault = json_fault::not_unicode;
    result.position = *at;
  } else if (auto nul = text.find('\0'); nul != std::string_view::npos) {
    result.fault = json_fault::nul_character;
    result.position = nul;
  } else {
    result.fault = json_fault::syntax;
  }
}

} // namespace

json_document read_json(std::string_view text, const json_options& options) {
  json::parse_options rules;
  rules.max_depth = options.max_depth;
  unsigned char buffer[4096];
  auto may_hold_nul = text.find("\\u0000") != std::string_view::npos;
  json::basic_parser<document_handler> parser{rules, options, may_hold_nul, buffer, sizeof(buffer)};
  json::error_code error;
  json_document result;
  result.position = parser.write_some(false, text.data(), text.size(), error);
  if (!error && result.position < text.size())
    error = json::error::extra_data;
  if (error) {
    explain(result, text, error);
    return result;
  }
  result.fault = parser.handler().fault();
  result.value = parser.handler().release();
  return result;
}

} // namespace notify

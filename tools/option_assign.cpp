#include "messages/nearest.hpp"
#include "tools/option.hpp"
#include "tools/value_text.hpp"

#include <algorithm>

// Reading values into options: types and ranges, and the words of the refusals.

namespace notify {

namespace {

/// Type names with an example, as a refusal needs them.
std::string with_example(const std::string& type) {
  if (type == "duration")
    return "a duration such as 30s, 500ms or 5min";
  if (type == "text" || type == "choice")
    return "a text in double quotes";
  if (type == "list of texts")
    return "a list of texts such as [\"a\", \"b\"]";
  if (type == "list of durations")
    return "a list of durations such as [0s, 5s, 2min]";
  if (type == "list of \"name=value\"")
    return "a list of texts such as [\"name=value\"]";
  return type == "true or false" ? type : "a " + type;
}

/// Line breaks would end a mail's header or a log line.
bool has_control_character(const std::string& x) {
  return std::any_of(x.begin(), x.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

} // namespace

std::optional<std::string> option::expected(const caf::config_value& got) const {
  // A wrong type may still hold a secret, e.g. a password without quotes.
  auto what = may_carry_secret() ? std::string{"this"} : in_words(got);
  return "expects " + with_example(type()) + ", not " + what;
}

std::optional<std::string> option::check_number(int64_t x) const {
  if (x >= low_ && x <= high_)
    return std::nullopt;
  return "must be " + range() + ", not " + std::to_string(x);
}

std::optional<std::string> option::check_timespan(caf::timespan x) const {
  if (x >= low_time_ && x <= high_time_)
    return std::nullopt;
  return "must be " + time_range() + ", not " + duration_text(x);
}

std::optional<std::string> option::check_text(const std::string& x) const {
  if (not_empty_ && x.empty())
    return "must not be empty";
  if (has_control_character(x))
    return "must not contain control characters";
  if (choices_.empty() || std::count(choices_.begin(), choices_.end(), x) != 0)
    return std::nullopt;
  auto result = "must be " + quoted_choices() + ", not " + quoted_text(x);
  auto near = nearest(x, choices_);
  return near.empty() ? result : result + ", did you mean " + quoted_text(near) + "?";
}

template <class Int>
std::optional<std::string> option::take(Int* out, const caf::config_value& x) {
  auto number = caf::get_if<int64_t>(&x);
  if (!number)
    return expected(x);
  if (auto wrong = check_number(*number))
    return wrong;
  *out = static_cast<Int>(*number);
  return std::nullopt;
}

std::optional<std::string> option::take(bool* out, const caf::config_value& x) {
  auto flag = caf::get_if<bool>(&x);
  if (!flag)
    return expected(x);
  *out = *flag;
  return std::nullopt;
}

std::optional<std::string> option::take(double* out, const caf::config_value& x) {
  double number = 0;
  if (auto real = caf::get_if<double>(&x))
    number = *real;
  else if (auto integer = caf::get_if<int64_t>(&x))
    number = static_cast<double>(*integer);
  else
    return expected(x);
  // Written so that NaN is refused too.
  if (!(number >= static_cast<double>(low_) && number <= static_cast<double>(high_)))
    return "must be " + range() + ", not " + in_words(x).substr(std::string{"the number "}.size());
  *out = number;
  return std::nullopt;
}

std::optional<std::string> option::take(caf::timespan* out, const caf::config_value& x) {
  auto span = caf::get_if<caf::timespan>(&x);
  if (!span)
    return expected(x);
  if (auto wrong = check_timespan(*span))
    return wrong;
  *out = *span;
  return std::nullopt;
}

std::optional<std::string> option::take(std::string* out, const caf::config_value& x) {
  auto text = caf::get_if<std::string>(&x);
  if (!text)
    return expected(x);
  if (auto wrong = check_text(*text))
    return wrong;
  *out = *text;
  return std::nullopt;
}

std::optional<std::string> option::take(std::vector<std::string>* out, const caf::config_value& x) {
  auto list = caf::get_if<caf::config_value::list>(&x);
  if (!list)
    return expected(x);
  std::vector<std::string> result;
  for (const auto& item : *list) {
    auto text = caf::get_if<std::string>(&item);
    if (!text)
      return "expects " + with_example(type()) + ", not a list with " + in_words(item);
    if (text->empty())
      return "must not have an empty text in its list";
    if (has_control_character(*text))
      return "must not contain control characters";
    if (std::count(result.begin(), result.end(), *text) != 0)
      return "has " + quoted_text(*text) + " twice";
    result.push_back(*text);
  }
  if (not_empty_ && result.empty())
    return "must not be empty";
  *out = std::move(result);
  return std::nullopt;
}

std::optional<std::string> option::take(std::vector<caf::timespan>* out,
                                        const caf::config_value& x) {
  auto list = caf::get_if<caf::config_value::list>(&x);
  if (!list)
    return expected(x);
  std::vector<caf::timespan> result;
  for (const auto& item : *list) {
    auto span = caf::get_if<caf::timespan>(&item);
    if (!span)
      return "expects " + with_example(type()) + ", not a list with " + in_words(item);
    if (auto wrong = check_timespan(*span))
      return wrong;
    result.push_back(*span);
  }
  if (not_empty_ && result.empty())
    return "must not be empty";
  *out = std::move(result);
  return std::nullopt;
}

std::optional<std::string> option::take(property_map* out, const caf::config_value& x) {
  auto list = caf::get_if<caf::config_value::list>(&x);
  if (!list)
    return expected(x);
  property_map result;
  for (const auto& item : *list) {
    auto text = caf::get_if<std::string>(&item);
    if (!text)
      return "expects " + with_example(type()) + ", not a list with something else";
    auto equals = text->find('=');
    if (equals == std::string::npos || equals == 0)
      return "expects \"name=value\" in its list; one entry has no name or no '='";
    auto key = text->substr(0, equals);
    if (!result.emplace(key, text->substr(equals + 1)).second)
      return "has " + quoted_text(key) + " twice";
  }
  *out = std::move(result);
  return std::nullopt;
}

std::optional<std::string> option::take(named_value& out, const caf::config_value& x) {
  std::string text;
  if (auto wrong = take(&text, x))
    return wrong;
  out.set(text);
  return std::nullopt;
}

std::optional<std::string> option::take(parsed_list& out, const caf::config_value& x) {
  std::vector<std::string> texts;
  if (auto wrong = take(&texts, x))
    return wrong;
  return out.set(texts);
}

std::optional<std::string> option::assign(const caf::config_value& x) {
  return std::visit([&](auto& out) { return take(out, x); }, target_);
}

std::optional<std::string> option::assign_text(const std::string& text) {
  auto kind = type();
  if (kind == "text" || kind == "choice")
    return assign(caf::config_value{text});
  if (kind == "duration" && duration_overflows(text))
    return "is too long a duration: " + text;
  if (kind == "list of texts" || kind == "list of \"name=value\"") {
    caf::config_value::list items;
    for (auto& x : split_list(text))
      items.emplace_back(std::move(x));
    return assign(caf::config_value{std::move(items)});
  }
  if (kind == "list of durations") {
    caf::config_value::list items;
    for (const auto& x : split_list(text)) {
      if (duration_overflows(x))
        return "is too long a duration: " + x;
      items.push_back(value_from_text(x));
    }
    return assign(caf::config_value{std::move(items)});
  }
  return assign(value_from_text(text));
}

} // namespace notify

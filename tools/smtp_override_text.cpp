#include "tools/smtp_override_text.hpp"

#include "messages/nearest.hpp"
#include "tools/value_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view blanks = " \t";

/// No provider's wait is honoured for longer, see `retry-max-wait`.
constexpr caf::timespan longest_wait = 168h;

constexpr std::array kinds{outcome_kind::retry, outcome_kind::retry_after, outcome_kind::permanent,
                           outcome_kind::hold};

bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

bool is_quote(char x) {
  return x == '"' || x == '\'';
}

/// Takes a rule apart, one part after the other.
class rule_reader {
public:
  explicit rule_reader(std::string_view text) : rule_(text), rest_(text) { skip_blanks(); }

  /// What is wrong; nothing if the part was taken.
  using problem = std::optional<std::string>;

  problem read() {
    for (auto step : {&rule_reader::read_code, &rule_reader::read_enhanced, &rule_reader::read_text,
                      &rule_reader::read_kind, &rule_reader::read_wait, &rule_reader::read_end})
      if (auto wrong = (this->*step)())
        return "has the rule " + quoted_text(rule_) + ", " + *wrong;
    return std::nullopt;
  }

  smtp_override& result() { return result_; }

private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  /// The word that comes next, without taking it.
  std::string next_word() const {
    return std::string{rest_.substr(0, rest_.find_first_of(blanks))};
  }

  std::string take_word() {
    auto word = next_word();
    rest_.remove_prefix(word.size());
    skip_blanks();
    return word;
  }

  problem read_code() {
    auto word = take_word();
    if (word == "*")
      return std::nullopt;
    auto is_code = word.size() == 3 && std::all_of(word.begin(), word.end(), is_digit);
    result_.code = is_code ? std::stoi(word) : 0;
    if (result_.code < 400 || result_.code > 599)
      return "which must begin with a reply code from 400 to 599 or *, not " + quoted_text(word);
    return std::nullopt;
  }

  problem read_enhanced() {
    if (rest_.empty() || !is_digit(rest_.front()))
      return std::nullopt;
    result_.enhanced = take_word();
    if (!is_enhanced_start(result_.enhanced))
      return "whose enhanced code must look like 5.7. or 4.2.2, not "
             + quoted_text(result_.enhanced);
    return std::nullopt;
  }

  /// `4.` or `5.`, then up to two numbers, the last dot being optional.
  static bool is_enhanced_start(std::string_view text) {
    if (text.size() < 2 || (text[0] != '4' && text[0] != '5') || text[1] != '.')
      return false;
    text.remove_prefix(2);
    for (int numbers = 0; !text.empty(); ++numbers) {
      auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
      if (numbers == 2 || digits == 0 || digits > 3)
        return false;
      text.remove_prefix(digits);
      if (text.starts_with('.') && numbers == 0)
        text.remove_prefix(1);
      else if (!text.empty())
        return false;
    }
    return true;
  }

  problem read_text() {
    if (rest_.empty() || !is_quote(rest_.front()))
      return std::nullopt;
    auto end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos)
      return "whose quote is not closed";
    result_.text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (result_.text.empty())
      return "whose text is empty; leave it out to match any";
    if (!rest_.empty() && blanks.find(rest_.front()) == std::string_view::npos)
      return "which needs a blank behind its text";
    skip_blanks();
    return std::nullopt;
  }

  problem read_kind() {
    std::vector<std::string> names;
    for (auto x : kinds)
      names.push_back(to_string(x));
    if (rest_.empty())
      return "which does not say what to do: " + in_words(names);
    auto word = take_word();
    auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) {
      result_.kind = kinds.at(static_cast<size_t>(found - names.begin()));
      return std::nullopt;
    }
    auto near = nearest(word, names);
    return "which must say " + in_words(names) + ", not " + quoted_text(word)
           + (near.empty() ? "" : ", did you mean " + near + "?");
  }

  static std::string in_words(const std::vector<std::string>& names) {
    std::string result;
    for (size_t i = 0; i < names.size(); ++i)
      result += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return result;
  }

  problem read_wait() {
    auto takes_wait = result_.kind == outcome_kind::retry_after;
    if (rest_.empty())
      return takes_wait ? problem{"which needs a wait behind retry_after, such as 5s"}
                        : std::nullopt;
    auto word = take_word();
    if (!takes_wait)
      return "which has " + quoted_text(word) + " behind " + to_string(result_.kind)
             + "; only retry_after takes a wait";
    auto value = value_from_text(word);
    auto wait = duration_overflows(word) ? nullptr : caf::get_if<caf::timespan>(&value);
    if (wait == nullptr || *wait <= 0s || *wait > longest_wait)
      return "whose wait must be a duration up to " + duration_text(longest_wait)
             + " such as 5s, not " + quoted_text(word);
    result_.wait = *wait;
    return std::nullopt;
  }

  problem read_end() {
    if (!rest_.empty())
      return "which should end before " + quoted_text(std::string{rest_});
    if (result_.code == 0 && result_.enhanced.empty() && result_.text.empty())
      return "which would match every refusal; name a code, an enhanced code or a text";
    return std::nullopt;
  }

  const std::string rule_;
  std::string_view rest_;
  smtp_override result_;
};

} // namespace

std::optional<std::string> read_smtp_override(std::string_view text, smtp_override& out) {
  rule_reader reader{text};
  if (auto wrong = reader.read())
    return wrong;
  out = std::move(reader.result());
  return std::nullopt;
}

std::string smtp_override_text(const smtp_override& x) {
  auto result = x.code == 0 ? std::string{"*"} : std::to_string(x.code);
  if (!x.enhanced.empty())
    result += ' ' + x.enhanced;
  if (!x.text.empty()) {
    // A text cannot hold both: it was between two of one of them.
    auto quote = x.text.find('\'') == std::string::npos ? '\'' : '"';
    result += ' ' + (quote + x.text) + quote;
  }
  result += ' ' + to_string(x.kind);
  if (x.kind == outcome_kind::retry_after)
    result += ' ' + duration_text(x.wait);
  return result;
}

} // namespace notify

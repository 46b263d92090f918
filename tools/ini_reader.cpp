#include "tools/ini_reader.hpp"

#include "messages/error.hpp"
#include "tools/value_text.hpp"

#include <caf/detail/ini_consumer.hpp>
#include <caf/detail/parser/read_ini.hpp>
#include <caf/parser_state.hpp>
#include <caf/pec.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

namespace notify {

namespace {

using parser_state = caf::parser_state<std::string::const_iterator>;

/// Where the parser stands. Its own line counter is one ahead at the end of a line.
struct position {
  int32_t line = 1;
  int32_t column = 1;
};

position position_of(std::string::const_iterator begin, std::string::const_iterator at) {
  position result;
  for (auto i = begin; i != at; ++i) {
    result.column = *i == '\n' ? 1 : result.column + 1;
    result.line += *i == '\n' ? 1 : 0;
  }
  return result;
}

/// What all consumers share.
struct reading {
  const std::string& source;
  parser_state state;
  std::vector<ini_entry> entries;

  int32_t line() const { return position_of(source.begin(), state.i).line; }
};

/// Receives the keys and values of one section.
class section_consumer : public caf::detail::abstract_ini_consumer {
public:
  section_consumer(reading& x, std::string section) : reading_(x), section_(std::move(section)) {}

  void key(std::string name) {
    name_ = std::move(name);
    line_ = reading_.line();
  }

  void value_impl(caf::config_value&& x) override {
    reading_.entries.push_back({section_, std::move(name_), std::move(x), line_});
  }

  void end_map() {}

private:
  reading& reading_;
  std::string section_;
  std::string name_;
  int32_t line_ = 0;
};

/// Receives the sections of a file.
class file_consumer {
public:
  explicit file_consumer(reading& x) : reading_(x) {}

  void key(std::string name) { section_ = std::move(name); }

  section_consumer begin_map() {
    // Entries before the first header have no section of their own.
    if (section_ != "global")
      reading_.entries.push_back({section_, {}, {}, reading_.line()});
    return {reading_, section_};
  }

private:
  reading& reading_;
  std::string section_;
};

/// The file with plain line ends and without a byte order mark, which CAF's grammar refuses.
std::string normalised(const std::string& text) {
  std::string result;
  result.reserve(text.size() + 1);
  size_t first = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (size_t i = first; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
      result += text[i];
  return result;
}

std::string syntax_error(const reading& x) {
  auto at = position_of(x.source.begin(), x.state.i);
  auto place = std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  switch (x.state.code) {
  case caf::pec::illegal_escape_sequence:
    return place + "only \\n, \\r, \\t, \\\\ and \\\" may follow a backslash";
  case caf::pec::integer_overflow:
  case caf::pec::integer_underflow:
  case caf::pec::exponent_overflow:
  case caf::pec::exponent_underflow:
    return place + "the number is too large";
  default:
    break;
  }
  auto here = x.state.current();
  if (x.state.at_end())
    return place + "the file ends before a value, quote or bracket is complete";
  if (here == '\n')
    return place + "the line ends before its value, quote or bracket is complete";
  if (here == '#')
    return place + "comments start with ';', not with '#'";
  auto shown = here > ' ' && here < '\x7f' ? "'" + std::string{here} + "'" : "character";
  return place + "unexpected " + shown
         + "; texts stand in double quotes, durations look like 30s or 5min";
}

/// The end of a text or comment that begins at `i`; `i` itself if none does.
size_t skip_text(const std::string& source, size_t i) {
  if (source[i] == ';')
    return std::min(source.find('\n', i), source.size());
  if (source[i] != '"')
    return i;
  auto end = i + 1;
  while (end < source.size() && source[end] != '"' && source[end] != '\n')
    end += source[end] == '\\' ? 2 : 1;
  return std::min(end, source.size());
}

/// CAF's grammar lets a duration overflow. Looked for beforehand: afterwards it is just a number.
std::optional<std::string> too_long_duration(const std::string& source) {
  for (size_t i = 0; i < source.size(); ++i) {
    i = skip_text(source, i);
    if (i == source.size() || !std::isdigit(static_cast<unsigned char>(source[i])))
      continue;
    auto is_part = [](unsigned char c) { return std::isalnum(c) != 0; };
    auto end = std::find_if_not(source.begin() + static_cast<ptrdiff_t>(i), source.end(), is_part);
    std::string word{source.begin() + static_cast<ptrdiff_t>(i), end};
    if (duration_overflows(word)) {
      auto at = position_of(source.begin(), source.begin() + static_cast<ptrdiff_t>(i));
      return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + word
             + " is too long a duration";
    }
    i += word.size() - 1;
  }
  return std::nullopt;
}

} // namespace

caf::expected<std::vector<ini_entry>> read_ini(const std::string& text) {
  auto source = normalised(text);
  if (auto problem = too_long_duration(source))
    return caf::make_error(ec::invalid_config, *problem);
  reading x{source, parser_state{source.cbegin(), source.cend()}, {}};
  file_consumer consumer{x};
  caf::detail::parser::read_ini(x.state, consumer);
  if (x.state.code != caf::pec::success)
    return caf::make_error(ec::invalid_config, syntax_error(x));
  return std::move(x.entries);
}

} // namespace notify

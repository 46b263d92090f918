#pragma once

#include "actors/service_config.hpp"

#include <caf/config_value.hpp>
#include <caf/timespan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace notify {

/// A value out of a closed list of names that is no plain text in the configuration's structs.
struct named_value {
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;
};

/// A list of texts that the configuration's structs hold in another form.
struct parsed_list {
  std::function<std::vector<std::string>()> get;
  /// Takes all of them. Answers what is wrong with one; then none is taken.
  std::function<std::optional<std::string>(const std::vector<std::string>&)> set;
};

using property_map = std::map<std::string, std::string>;

/// One setting: its name, what it accepts, and the variable that it fills. The variable outlives
/// the option.
class option {
public:
  using target = std::variant<bool*, uint16_t*, int32_t*, uint32_t*, size_t*, double*,
                              caf::timespan*, std::string*, std::vector<std::string>*,
                              std::vector<caf::timespan>*, property_map*, named_value, parsed_list>;

  option(std::string section, std::string name, target value, std::string description);

  const std::string& section() const { return section_; }
  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::vector<std::string>& choices() const { return choices_; }
  const std::string& unit() const { return unit_; }

  /// `section.name`, as on the command line.
  std::string full_name() const { return section_ + "." + name_; }

  /// What a person writes: `duration`, `number`, `text`, `list of texts`, ...
  std::string type() const;

  /// The allowed values in words, e.g. `1 to 65535`; empty if the type says it all.
  std::string range() const;

  /// The current value as the configuration file has it, with secrets masked.
  std::string show() const;

  /// The default's text for the reference: `show`, or words if the default is computed.
  std::string shown_default() const { return default_words_.empty() ? show() : default_words_; }

  /// Takes a value from the file. Answers what is wrong with it; nothing if it was taken.
  std::optional<std::string> assign(const caf::config_value& x);

  /// Takes a value from the command line, where text and lists need no quotes.
  std::optional<std::string> assign_text(const std::string& text);

  bool is_flag() const { return std::holds_alternative<bool*>(target_); }
  bool is_path() const { return path_; }

  /// The variable of a path option; null for others.
  std::string* path_target();
  const std::string* path_target() const;

  /// True if the value may carry a secret. It is masked wherever it is shown, and whoever sets it
  /// from a command line is checked for secrets in it.
  bool may_carry_secret() const { return static_cast<bool>(mask_); }

  /// True if the current value does carry one.
  bool holds_secret() const;

  /// The value with its secrets replaced by `***`; the text itself for other options.
  std::string masked(const std::string& text) const { return mask_ ? mask_(text) : text; }

  // What the table of options adds to one; each returns the option itself.

  option& at_least(int64_t low);
  option& between(int64_t low, int64_t high);
  option& at_least(caf::timespan low);
  option& between(caf::timespan low, caf::timespan high);
  option& one_of(std::vector<std::string> choices);
  option& not_empty();
  option& measured_in(std::string unit);
  option& default_is(std::string words);
  /// A relative path in the file is relative to the file's folder.
  option& is_a_path();
  option& masked_by(std::function<std::string(const std::string&)> mask);

private:
  std::optional<std::string> check_number(int64_t x) const;
  std::optional<std::string> check_timespan(caf::timespan x) const;
  std::optional<std::string> check_text(const std::string& x) const;
  std::optional<std::string> expected(const caf::config_value& got) const;
  std::string quoted_choices() const;
  std::string time_range() const;

  template <class Int>
  std::optional<std::string> take(Int* out, const caf::config_value& x);
  std::optional<std::string> take(bool* out, const caf::config_value& x);
  std::optional<std::string> take(double* out, const caf::config_value& x);
  std::optional<std::string> take(caf::timespan* out, const caf::config_value& x);
  std::optional<std::string> take(std::string* out, const caf::config_value& x);
  std::optional<std::string> take(std::vector<std::string>* out, const caf::config_value& x);
  std::optional<std::string> take(std::vector<caf::timespan>* out, const caf::config_value& x);
  std::optional<std::string> take(property_map* out, const caf::config_value& x);
  std::optional<std::string> take(named_value& out, const caf::config_value& x);
  std::optional<std::string> take(parsed_list& out, const caf::config_value& x);

  std::string section_;
  std::string name_;
  target target_;
  std::string description_;
  std::string unit_;
  std::string default_words_;
  std::vector<std::string> choices_;
  int64_t low_ = 0;
  int64_t high_ = std::numeric_limits<int64_t>::max();
  caf::timespan low_time_{0};
  caf::timespan high_time_ = caf::timespan::max();
  bool not_empty_ = false;
  bool path_ = false;
  std::function<std::string(const std::string&)> mask_;
};

using option_list = std::vector<option>;

/// The option of that name, or null.
option* find_option(option_list& options, std::string_view section, std::string_view name);

} // namespace notify

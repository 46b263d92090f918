#pragma once

#include "messages/duration_text.hpp"

#include <caf/config_value.hpp>

#include <string>
#include <vector>

// Values as text, in the configuration file's syntax.

namespace notify {

/// In double quotes, escaped as the configuration file's reader undoes it.
std::string quoted_text(const std::string& x);

/// `["a", "b"]`.
std::string list_text(const std::vector<std::string>& items);

/// A value in words, for messages: `the duration 30s`, `the text "abc"`.
std::string in_words(const caf::config_value& x);

/// Reads a value from a command line. What is no other value is text.
caf::config_value value_from_text(const std::string& text);

/// Splits `a,b` or `["a", "b"]`: the brackets and quotes are optional on a command line.
std::vector<std::string> split_list(const std::string& text);

} // namespace notify

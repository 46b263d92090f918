#pragma once

#include "persistence/dead_letter_store.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

// Dead letters for people and programs. Their bytes come from anyone: only text without control
// characters reaches a terminal.

namespace notify {

/// A table with a line for each letter, the names of the columns first.
std::string letter_table(const std::vector<letter_info>& letters);

/// Everything about one letter; of the value at most `limit` bytes.
std::string letter_page_text(const stored_letter& letter, size_t limit);

boost::json::object to_json(const letter_info& letter);

/// With key, headers and value, each as text or in hexadecimal and cut after `limit` bytes.
boost::json::object to_json(const stored_letter& letter, size_t limit);

} // namespace notify

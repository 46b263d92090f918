#pragma once

#include <string>
#include <string_view>
#include <vector>

// Pieces of Markdown for the documents that the program makes of its own tables.

namespace notify::markdown {

/// Text for a cell of a table: a bar would end it.
std::string cell(std::string_view text);

/// Text in a fixed-width font; nothing for nothing.
std::string code(std::string_view text);

/// One line of a table; cells as they are.
std::string row(const std::vector<std::string>& cells);

/// The first two lines of a table.
std::string header(const std::vector<std::string>& names);

} // namespace notify::markdown

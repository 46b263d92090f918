#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// Lines of cells, each column as wide as its widest cell. Cells come from anyone: what a terminal
/// would obey is shown as bytes.
class text_table {
public:
  struct column {
    std::string_view title;
    bool is_number = false; ///< To the right.
  };

  text_table(std::initializer_list<column> columns);

  /// As many cells as there are columns.
  void add(const std::vector<std::string>& cells);

  bool is_empty() const { return lines_.size() == 1; }

  /// The titles and the lines, each with a line break; every line begins with `indent`.
  std::string text(std::string_view indent = {}) const;

private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> lines_; ///< The titles first.
};

/// `name      value`, a line of a page about one thing.
std::string field_line(std::string_view name, std::string_view value);

} // namespace notify

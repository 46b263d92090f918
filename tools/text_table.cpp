#include "tools/text_table.hpp"

#include "tools/printable.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr size_t cell_limit = 300; ///< Bytes.
constexpr size_t name_width = 18;

/// Characters, not bytes; what needs two places of a terminal is rare here.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char x) {
    return (static_cast<unsigned char>(x) & 0xC0u) != 0x80u;
  }));
}

} // namespace

text_table::text_table(std::initializer_list<column> columns) : columns_(columns) {
  auto& titles = lines_.emplace_back();
  for (const auto& x : columns_)
    titles.emplace_back(x.title);
}

void text_table::add(const std::vector<std::string>& cells) {
  auto& line = lines_.emplace_back();
  for (const auto& x : cells)
    line.push_back(printable_line(x, cell_limit));
  line.resize(columns_.size());
}

std::string text_table::text(std::string_view indent) const {
  std::vector<size_t> widths(columns_.size());
  for (const auto& line : lines_)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width_of(line[i]));
  std::string result;
  for (const auto& line : lines_) {
    std::string row{indent};
    for (size_t i = 0; i < line.size(); ++i) {
      std::string gap(widths[i] - width_of(line[i]), ' ');
      row += columns_[i].is_number ? gap + line[i] : line[i] + gap;
      row += "  ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    result += row + "\n";
  }
  return result;
}

std::string field_line(std::string_view name, std::string_view value) {
  std::string result{name};
  result.resize(std::max(result.size() + 1, name_width), ' ');
  return result + printable_line(value, 4 * cell_limit) + "\n";
}

} // namespace notify

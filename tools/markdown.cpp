#include "tools/markdown.hpp"

namespace notify::markdown {

std::string cell(std::string_view text) {
  std::string result;
  for (auto c : text)
    result += c == '|' ? std::string{"\\|"} : std::string{c};
  return result;
}

std::string code(std::string_view text) {
  std::string result{text};
  return result.empty() ? result : "`" + result + "`";
}

std::string row(const std::vector<std::string>& cells) {
  std::string result = "|";
  for (const auto& x : cells)
    result += x.empty() ? " |" : " " + x + " |";
  return result + "\n";
}

std::string header(const std::vector<std::string>& names) {
  return row(names) + row(std::vector<std::string>(names.size(), "---"));
}

} // namespace notify::markdown

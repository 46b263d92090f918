#include "messages/refusal_reason.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace notify {
namespace {

std::string document() {
  std::ifstream file{NOTIFY_SOURCE_DIR "/docs/dead-letters.md"};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The codes in the first column of the tables whose header begins with `| reason |`.
std::set<std::string> documented() {
  std::set<std::string> result;
  std::istringstream lines{document()};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| reason |"))
      inside = true;
    else if (!line.starts_with("|"))
      inside = false;
    if (!inside || !line.starts_with("| `"))
      continue;
    auto cell = line.substr(2, line.find(" |", 2) - 2);
    for (auto begin = cell.find('`'); begin != std::string::npos; begin = cell.find('`', begin)) {
      auto end = cell.find('`', begin + 1);
      result.insert(cell.substr(begin + 1, end - begin - 1));
      begin = end + 1;
    }
  }
  return result;
}

TEST_CASE("docs/dead-letters.md lists every reason, and none that does not exist") {
  std::set<std::string> known;
  for (auto x : all_refusal_reasons())
    known.insert(to_string(x));
  CHECK(documented() == known);
}

TEST_CASE("every reason has a name of its own, by which it is found") {
  std::set<std::string> names;
  for (auto x : all_refusal_reasons()) {
    CHECK(names.insert(to_string(x)).second);
    CHECK(parse_refusal_reason(to_string(x)) == x);
  }
  // The last one of the enumeration is in the list, so none before it is missing.
  CHECK(names.size() == static_cast<size_t>(refusal_reason::skipped) + 1);
  CHECK_FALSE(parse_refusal_reason("no_such_reason"));
  CHECK_FALSE(parse_refusal_reason(""));
}

} // namespace
} // namespace notify

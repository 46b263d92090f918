#include "tests/notifyctl/ctl_run.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <set>

// What the list of commands promises holds for each of them.

namespace notify {
namespace {

using test::contains;
using test::notifyctl;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> result{""};
  bool quoted = false;
  for (auto x : text) {
    if (x == '"')
      quoted = !quoted;
    else if (x == ' ' && !quoted)
      result.emplace_back();
    else
      result.back() += x;
  }
  return result;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> result;
  std::istringstream in{std::string{text}};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

const ctl::command* command_at(const std::string& path) {
  for (const auto& x : ctl::all_commands())
    if (x.path == path)
      return &x;
  return nullptr;
}

/// The command that these words begin with, which are taken off.
const ctl::command* take_command(std::vector<std::string>& words) {
  auto take = [&](const ctl::command* x, ptrdiff_t count) {
    words.erase(words.begin(), words.begin() + count);
    return x;
  };
  if (words.size() > 1)
    if (const auto* x = command_at(words[0] + " " + words[1]))
      return take(x, 2);
  if (const auto* x = command_at(words[0]))
    return take(x, 1);
  for (const auto& x : ctl::all_aliases())
    if (x.name == words[0])
      return take(command_at(std::string{x.path}), 1);
  return nullptr;
}

TEST_CASE("every command explains itself with its options and examples") {
  for (const auto& x : ctl::all_commands()) {
    INFO(x.path);
    auto words = words_of(x.path);
    words.emplace_back("--help");
    auto help = notifyctl(words);
    CHECK(help.code == cli::success);
    CHECK(help.err.empty());
    CHECK(help.out.starts_with("Usage: notifyctl " + std::string{x.path}));
    CHECK(contains(help.out, "\nExamples:\n  notifyctl "));
    for (const auto& option : x.options)
      CHECK(contains(help.out, "  --" + std::string{option.name}));
  }
}

TEST_CASE("every example is a command line that can be read") {
  for (const auto& x : ctl::all_commands())
    for (const auto& line : lines_of(x.examples)) {
      INFO(line);
      auto words = words_of(line.substr(0, line.find(" > ")));
      const auto* meant = take_command(words);
      REQUIRE(meant != nullptr);
      CHECK(meant->path == x.path);
      std::vector<const char*> raw;
      for (const auto& word : words)
        raw.push_back(word.c_str());
      auto given = cli::parse(raw, meant->options);
      REQUIRE(given);
      CHECK((given->rest.empty() || !x.operands.empty()));
    }
}

TEST_CASE("the overview names every command, alias and exit code") {
  auto overview = notifyctl({"--help"});
  CHECK(overview.code == cli::success);
  for (const auto& x : ctl::all_commands())
    CHECK(contains(overview.out, "\n  " + std::string{x.path}));
  for (const auto& x : ctl::all_aliases())
    CHECK(contains(overview.out, std::string{x.name} + " for " + std::string{x.path}));
  CHECK(contains(overview.out, "Exit codes: 0 done"));
}

TEST_CASE("docs/notifyctl.md lists every command and every option of it") {
  std::ifstream file{NOTIFY_SOURCE_FOLDER "/docs/notifyctl.md"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  REQUIRE_FALSE(text.empty());
  for (const auto& x : ctl::all_commands()) {
    INFO(x.path);
    auto at = text.find("\n### notifyctl " + std::string{x.path} + "\n");
    REQUIRE(at != std::string::npos);
    auto section = text.substr(at + 1, text.find("\n##", at + 1) - at - 1);
    // Explained once for all.
    const std::set<std::string> shared{"api", "token-file", "ca-file", "timeout", "json", "config"};
    for (const auto& option : x.options)
      if (!shared.contains(std::string{option.name}))
        CHECK(contains(section, "`--" + std::string{option.name}));
  }
}

TEST_CASE("a group of commands explains itself as a whole") {
  auto help = notifyctl({"offsets", "--help"});
  CHECK(help.code == cli::success);
  for (const auto* verb : {"show", "reset", "skip"})
    CHECK(contains(help.out, std::string{"notifyctl offsets "} + verb + " [OPTION...]"));
}

TEST_CASE("a verb that is missing or wrong is asked for") {
  CHECK(contains(notifyctl({"topics"}).err, "what to do: create or wait"));
  auto wrong = notifyctl({"offsets", "rest"});
  CHECK(wrong.code == cli::usage);
  CHECK(contains(wrong.err, "show, reset or skip, not 'rest', did you mean 'reset'?"));
  CHECK(contains(notifyctl({"lsit"}).err, "did you mean 'list'?"));
}

TEST_CASE("D-E8 a URL with a password in the wrong place is refused without its password") {
  const std::string url = "postgresql://notify:s3cret@127.0.0.1/notify";
  auto words = GENERATE_COPY(Catch::Generators::values<std::vector<std::string>>(
      {{url}, {"offsets", url}, {"offsets", "show", url}, {"replay", url}, {"doctor", url}}));
  auto result = notifyctl(words);
  CHECK(result.code == cli::usage);
  CHECK_FALSE(contains(result.all(), "s3cret"));
}

} // namespace
} // namespace notify

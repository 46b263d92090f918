#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <set>

// The script as bash runs it.

namespace notify {
namespace {

using test::notifyctl;
using words = std::set<std::string>;

struct completion_fixture {
  test::temp_folder folder;
  std::string script = folder.write("completion", notifyctl({"completion", "bash"}).out);

  /// What bash offers behind these words; the last one is what stands at the cursor.
  words complete(const std::vector<std::string>& line) {
    std::string array = "notifyctl";
    for (const auto& x : line)
      array += " '" + x + "'";
    auto program = "set -u; source '" + script + "'; COMP_WORDS=(" + array
                   + "); COMP_CWORD=" + std::to_string(line.size())
                   + "; _notifyctl; printf '%s\\n' \"${COMPREPLY[@]-}\"";
    test::process bash{{"/bin/bash", "--norc", "-c", program}, {}, folder.path().string()};
    CHECK(bash.wait() == 0);
    CHECK(bash.error_text().empty());
    words result;
    std::istringstream in{bash.output()};
    for (std::string x; std::getline(in, x);)
      if (!x.empty())
        result.insert(x);
    return result;
  }
};

TEST_CASE_METHOD(completion_fixture, "bash completes commands, short ones too") {
  CHECK(complete({"do"}) == words{"doctor"});
  CHECK(complete({"re"}) == words{"replay", "retry"});
  auto all = complete({""});
  for (const auto& x : ctl::all_commands())
    CHECK(all.contains(std::string{x.path.substr(0, x.path.find(' '))}));
}

TEST_CASE_METHOD(completion_fixture, "bash completes the verbs of a command") {
  CHECK(complete({"offsets", ""}) == words{"show", "reset", "skip"});
  CHECK(complete({"offsets", "re"}) == words{"reset"});
  CHECK(complete({"dead-letters", "l"}) == words{"list"});
}

TEST_CASE_METHOD(completion_fixture, "bash completes exactly the options of each command") {
  for (const auto& x : ctl::all_commands()) {
    INFO(x.path);
    std::vector<std::string> line;
    std::istringstream path{std::string{x.path}};
    for (std::string word; path >> word;)
      line.push_back(word);
    line.emplace_back("--");
    words expected{"--help"};
    for (const auto& option : x.options)
      expected.insert("--" + std::string{option.name} + (option.value.empty() ? "" : "="));
    CHECK(complete(line) == expected);
  }
  CHECK(complete({"list", "--sta"}) == words{"--status="});
  CHECK(complete({"offsets", "--gr"}) == words{"--group="});
}

TEST_CASE_METHOD(completion_fixture, "bash completes values that are words or files") {
  folder.write("notifyd.ini", "");
  CHECK(complete({"list", "--status", "=", "d"}) == words{"dead"});
  CHECK(complete({"list", "--status", "="}).size() == 6u);
  CHECK(complete({"doctor", "--config", "=", "noti"}) == words{"notifyd.ini"});
  CHECK(complete({"doctor", "--config", "noti"}) == words{"notifyd.ini"});
}

} // namespace
} // namespace notify

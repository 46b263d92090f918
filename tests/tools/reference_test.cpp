#include "tests/tools/settings_fixture.hpp"
#include "tools/configured_files.hpp"
#include "tools/exit_codes.hpp"
#include "tools/outcome_reference.hpp"
#include "tools/reference.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

// The reference and the example file stay true to the one table of options.

namespace notify {
namespace {

using test::settings_fixture;

const std::string source_folder = NOTIFY_SOURCE_FOLDER;

std::string read_file(const std::string& path) {
  std::ifstream file{path};
  INFO(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

option_list default_options() {
  static setting_values values;
  return make_options(values);
}

TEST_CASE("docs/configuration.md is what 'notifyd options --markdown' prints") {
  // If this fails: build/debug/tools/notifyd options --markdown > docs/configuration.md
  CHECK(read_file(source_folder + "/docs/configuration.md") == options_markdown(default_options()));
}

TEST_CASE("docs/retry-table.md is what 'notifyd outcomes --markdown' prints") {
  // If this fails: build/debug/tools/notifyd outcomes --markdown > docs/retry-table.md
  CHECK(read_file(source_folder + "/docs/retry-table.md") == outcomes_markdown());
}

TEST_CASE("every row of a generated table has as many cells as the table has columns") {
  for (const auto& text : {outcomes_markdown(), options_markdown(default_options())}) {
    std::istringstream lines{text};
    std::ptrdiff_t columns = 0;
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      auto bars = std::count(line.begin(), line.end(), '|');
      for (auto at = line.find("\\|"); at != std::string::npos; at = line.find("\\|", at + 2))
        --bars;
      if (line.starts_with("|") && columns != 0)
        CHECK(bars == columns);
      columns = line.starts_with("|") ? bars : 0;
    }
  }
}

TEST_CASE("docs/operations.md names every exit code") {
  auto text = read_file(source_folder + "/docs/operations.md");
  for (const auto& x : exit_codes())
    CHECK(text.find("| " + std::to_string(static_cast<int>(x.code)) + " | " + x.meaning + " |")
          != std::string::npos);
}

TEST_CASE("every option has a name of its own and says what it is for") {
  std::set<std::string> names;
  for (const auto& x : default_options()) {
    INFO(x.full_name());
    CHECK(names.insert(x.full_name()).second);
    CHECK(x.description().ends_with("."));
  }
}

TEST_CASE("every channel has the same options") {
  std::map<std::string, std::vector<std::string>> by_channel;
  for (const auto& x : default_options())
    if (x.section().starts_with("channel-"))
      by_channel[x.section()].push_back(x.name());
  REQUIRE(by_channel.size() == channel_names().size());
  for (const auto& [name, options] : by_channel)
    CHECK(options == by_channel.at("channel-email"));
}

TEST_CASE("the help text has every option, command and exit code") {
  auto text = help_text(default_options());
  for (const auto& x : default_options())
    if (!x.section().starts_with("channel-"))
      CHECK(text.find("--" + x.full_name() + "=") != std::string::npos);
  CHECK(text.find("--channel-NAME.slots=") != std::string::npos);
  for (const auto& x : commands())
    CHECK(text.find("  " + x.name + " ") != std::string::npos);
  CHECK(text.find("Exit codes:\n  0    done") != std::string::npos);
}

TEST_CASE_METHOD(settings_fixture,
                 "the example file is accepted and fits its routes and templates") {
  arguments args;
  args.config_file = source_folder + "/tools/config/notifyd.ini";
  auto config = settings::load(args, env());
  INFO((config ? std::string{} : problem_text(config.error())));
  REQUIRE(config);
  CHECK(problem_text(check_configured_files((*config)->service())) == "none");
}

TEST_CASE_METHOD(settings_fixture,
                 "what check prints for the defaults is a file with the same effect") {
  auto first = good("")->dump();
  CHECK(good(first)->dump() == first);
}

TEST_CASE_METHOD(settings_fixture, "what check prints can be read back, whatever was set") {
  auto config = good("[service]\ninstance=\"say \\\"hi\\\" \\\\ there\"\n"
                     "[kafka]\nbrokers=[\"a:1\", \"b:2\"]\nproperties=[\"check.crcs=false\"]\n"
                     "commit-interval=1500ms\n"
                     "[delivery]\nlease=9000s\npoll-interval=1500ms\nresult-batch=0x10\n"
                     "[channel-email]\nprovider=\"smtp\"\nretry-delays=[0s, 90s, 36h]\n"
                     "retry-jitter=0.125\nsmtp-verify-certificate=false\n"
                     "[channel-webhook]\nprovider=\"log\"\nslots=3\n"
                     "[logging]\nlevel=\"error\"\n[scheduler]\nmax-threads=3\n");
  auto text = config->dump();
  auto again = good(text);
  CHECK(again->dump() == text);
  CHECK(again->service().instance == "say \"hi\" \\ there");
  CHECK(again->service().channels.at("email").retry.delays
        == config->service().channels.at("email").retry.delays);
  CHECK(again->service().channels.at("email").retry.jitter == 0.125);
  CHECK(again->service().channels.at("webhook").slots == 3u);
  CHECK(again->service().delivery.result_batch == 16u);
  CHECK(again->logging().level == log::level::error);
}

TEST_CASE_METHOD(settings_fixture, "routes must lead to channels and templates that exist") {
  folder.write("routes.json",
               R"({"routes": [{"event_type": "a.v1", "channel": "emial", "recipient": "email",)"
               R"( "template": "none.v1"}]})");
  std::filesystem::create_directories(folder.path() / "templates/t.v1/en");
  folder.write("templates/t.v1/en/subject.mustache", "s");
  folder.write("templates/t.v1/en/text.mustache", "t");
  auto config = good("");
  auto routes = (folder.path() / "routes.json").string();
  CHECK(problem_text(check_configured_files(config->service()))
        == routes
               + ": the route of a.v1 goes to the unknown channel \"emial\", did you mean "
                 "\"email\"?\n"
               + routes
               + ": the route of a.v1 names the template \"none.v1\", which is not in "
                 "service.templates-folder");
}

} // namespace
} // namespace notify

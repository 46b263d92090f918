#include "tests/metrics/sample_metrics.hpp"

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace notify {
namespace {

using namespace test;

std::string read_file(const std::string& path) {
  std::ifstream file{std::string{NOTIFY_SOURCE_FOLDER} + "/" + path};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Names and types of the tables in docs/metrics.md.
std::map<std::string, std::string> documented() {
  std::map<std::string, std::string> result;
  auto text = read_file("docs/metrics.md");
  std::regex row{"\\| `(notify_[a-z_]+)` \\| ([a-z]+) \\|"};
  for (std::sregex_iterator i{text.begin(), text.end(), row}, end; i != end; ++i)
    result[(*i)[1]] = (*i)[2];
  return result;
}

/// The metrics that a text names, without what a histogram adds to its name.
std::set<std::string> named_in(const std::string& text) {
  auto known = documented();
  std::set<std::string> result;
  std::regex name{"notify_[a-z_]+"};
  for (std::sregex_iterator i{text.begin(), text.end(), name}, end; i != end; ++i) {
    auto found = i->str();
    for (const std::string suffix : {"_bucket", "_sum", "_count"})
      if (!known.contains(found) && found.ends_with(suffix))
        found.resize(found.size() - suffix.size());
    result.insert(found);
  }
  return result;
}

/// What the program says, and how it ended.
std::pair<int, std::string> run(const std::string& command, const std::string& input) {
  auto path = std::string{"/tmp/notify-scrape-"} + std::to_string(std::rand());
  std::ofstream{path} << input;
  std::string output;
  auto* pipe = popen((command + " <" + path + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (auto size = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, size);
  auto code = pclose(pipe);
  std::remove(path.c_str());
  return {code, output};
}

TEST_CASE("docs/metrics.md lists what is printed, and nothing else") {
  CHECK(documented() == families_in(complete_metrics()->text()));
}

TEST_CASE("promtool has nothing to say against a scrape") {
  auto [code, output] = run("promtool check metrics", complete_metrics()->text());
  INFO(output);
  CHECK(code == 0);
}

TEST_CASE("promtool accepts the alerts") {
  auto [code, output] = run("promtool check rules " NOTIFY_SOURCE_FOLDER "/docs/alerts.yml", "");
  INFO(output);
  CHECK(code == 0);
}

TEST_CASE("alerts and dashboard name metrics that exist") {
  auto known = documented();
  for (const auto* file : {"docs/alerts.yml", "docs/grafana/notifyd.json"}) {
    auto names = named_in(read_file(file));
    CHECK(names.size() > 15);
    for (const auto& name : names) {
      INFO(file << " names " << name);
      CHECK(known.contains(name));
    }
  }
}

TEST_CASE("the dashboard has a panel for each objective, and targets in every panel") {
  auto dashboard = boost::json::parse(read_file("docs/grafana/notifyd.json")).as_object();
  std::set<int64_t> ids;
  for (const auto& panel : dashboard.at("panels").as_array()) {
    const auto& x = panel.as_object();
    CHECK(ids.insert(x.at("id").as_int64()).second);
    if (x.at("type").as_string() != "row")
      CHECK_FALSE(x.at("targets").as_array().empty());
  }
  auto text = read_file("docs/grafana/notifyd.json");
  for (const auto* needed :
       {"notify_jobs_oldest_due_seconds", "notify_kafka_lag_records", "notify_jobs_dead_total",
        "notify_event_to_job_seconds_bucket", "notify_job_to_sent_seconds_bucket"})
    CHECK(text.find(needed) != std::string::npos);
}

TEST_CASE("D-F7: alerts carry labels and texts of a closed list") {
  const std::set<std::string> labels{"channel", "topic", "state", "instance", "provider",
                                     "cause",   "table", "book",  "actor"};
  const std::set<std::string> keys{"groups", "name",     "rules",       "alert",   "expr",   "for",
                                   "labels", "severity", "annotations", "summary", "runbook"};
  auto text = read_file("docs/alerts.yml");
  std::regex used{"\\{\\{ *\\$([a-zA-Z]+)\\.?([a-z_]*)"};
  size_t count = 0;
  for (std::sregex_iterator i{text.begin(), text.end(), used}, end; i != end; ++i, ++count) {
    INFO(i->str());
    auto what = (*i)[1].str();
    CHECK((what == "value" || (what == "labels" && labels.contains((*i)[2].str()))));
  }
  CHECK(count > 20);
  // A key at the beginning of a line, behind a dash, or in braces.
  std::regex key{"(?:^|\\n|\\{)(?: |- )*([a-z]+):"};
  for (std::sregex_iterator i{text.begin(), text.end(), key}, end; i != end; ++i) {
    INFO(i->str());
    CHECK(keys.contains((*i)[1].str()));
  }
}

TEST_CASE("every alert has its place in the operations guide") {
  auto alerts = read_file("docs/alerts.yml");
  auto guide = read_file("docs/operations.md");
  std::regex name{"alert: (Notifyd[A-Za-z]+)"};
  size_t count = 0;
  for (std::sregex_iterator i{alerts.begin(), alerts.end(), name}, end; i != end; ++i, ++count) {
    INFO((*i)[1].str());
    CHECK(guide.find("`" + (*i)[1].str() + "`") != std::string::npos);
  }
  CHECK(count > 15);
}

} // namespace
} // namespace notify

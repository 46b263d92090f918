#include "tools/actor_text.hpp"

#include "tests/notifyctl/ctl_run.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::contains;
using test::notifyctl;

actor_line line(const std::string& name, uint32_t depth, uint64_t processed) {
  actor_line x;
  x.depth = depth;
  x.answered = true;
  x.status.name = name;
  x.status.state = "running";
  x.status.processed = processed;
  return x;
}

TEST_CASE("actors are indented below their supervisors, and silent ones have no numbers") {
  actor_tree tree{{line("root", 0, 0), line("job-dispatcher", 1, 17)}};
  tree.lines.push_back(line("consumer", 1, 99));
  tree.lines.back().answered = false;
  tree.lines.back().silent_ms = 12'345;
  tree.lines.back().status.last_error = "request_timeout";
  auto text = actor_table(tree);
  CHECK(contains(text, "\nroot  "));
  CHECK(contains(text, "\n  job-dispatcher  running        0         17         0       -  -\n"));
  CHECK(contains(text, "12 s  request_timeout"));
  CHECK_FALSE(contains(text, "99"));
}

TEST_CASE("rates are those since the last look, and a restarted actor has none") {
  actor_tree before{{line("a", 0, 100), line("b", 0, 50), line("c", 0, 1)}};
  before.lines[0].status.counters = {{"claims", 3}, {"free", 5}, {"same", 1}};
  actor_tree now{{line("a", 0, 130), line("b", 0, 2)}};
  now.lines[0].status.counters = {{"claims", 10}, {"free", 2}, {"same", 1}, {"new", 4}};
  auto text = top_table(before, now, 2s);
  CHECK(contains(text, "15.0"));
  CHECK(contains(text, "claims+7 free-3 new+4\n"));
  CHECK(contains(text, "b      running        0           -"));
  CHECK_FALSE(contains(top_table({}, now, 0s), "."));
}

TEST_CASE("the tree as JSON has the form of the HTTP interface, big numbers as text") {
  actor_tree tree{{line("root", 0, 18446744073709551615u)}};
  tree.lines[0].status.counters["jobs"] = 1970670598291982290;
  auto text = boost::json::serialize(to_json(tree));
  CHECK(text
        == R"({"items":[{"name":"root","depth":0,"state":"running","answered":true,"silent_ms":0,)"
           R"("restarts":0,"mailbox":0,"processed":"18446744073709551615","since_success_ms":null,)"
           R"("last_error":null,"counters":{"jobs":"1970670598291982290"}}]})");
}

TEST_CASE("actors and top say where they found nobody, or where to look") {
  for (const auto* command : {"actors", "top"}) {
    auto nobody = notifyctl({command, "--address=127.0.0.1:1"});
    CHECK(nobody.code == cli::failed);
    CHECK(contains(nobody.err, "nothing answers at 127.0.0.1:1"));
    CHECK(notifyctl({command, "--address=127.0.0.1"}).code == cli::usage);
    CHECK(notifyctl({command, "--address=127.0.0.1:0"}).code == cli::usage);
    CHECK(notifyctl({command, "--address=:x"}).code == cli::usage);
    CHECK(contains(notifyctl({command}).err, "inspection.port"));
  }
}

} // namespace
} // namespace notify

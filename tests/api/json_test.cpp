#include "http/api/actors_route.hpp"
#include "http/api/channels_route.hpp"
#include "http/api/stats_route.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch.hpp>

// What is known becomes figures, what is not becomes null.

namespace notify::http {
namespace {

constexpr int64_t moment = 1'788'278'400'000'000;

TEST_CASE("D-G2 figures that are not known yet are null with a reason, never 0") {
  auto x = stats_json({}, moment);
  CHECK(x.at("taken_at").is_null());
  CHECK(x.at("age_s").is_null());
  CHECK(x.at("jobs").is_null());
  CHECK(x.at("oldest_due_s").is_null());
  CHECK(x.at("failure") == "nothing was counted yet");
  CHECK(x.at("figures").as_object().empty());
}

TEST_CASE("D-G2 figures that could not be renewed are told with their age and the reason") {
  stats_report report;
  report.taken_at_us = moment - 90'500'000;
  report.failure = "counts: storage_conflict(\"canceling statement due to statement timeout\")";
  report.jobs.push_back({"email", "sent", 3});
  report.oldest_due_s["email"] = 2.5;
  report.figures["rate.sent_per_second"] = std::numeric_limits<double>::quiet_NaN();
  auto x = stats_json(report, moment);
  CHECK(x.at("taken_at") == "2026-09-01T15:58:29.500000Z");
  CHECK(x.at("age_s") == 90.5);
  CHECK(x.at("failure") == "counts: storage_conflict");
  CHECK(x.at("oldest_due_s").at("email") == 2.5);
  CHECK(x.at("figures").at("rate.sent_per_second").is_null());
}

TEST_CASE("a channel that was counted has all six statuses") {
  stats_report report;
  report.taken_at_us = moment;
  report.jobs.push_back({"email", "dead", 2});
  auto x = stats_json(report, moment);
  const auto& jobs = x.at("jobs").as_array();
  REQUIRE(jobs.size() == 6);
  std::string text;
  for (const auto& line : jobs)
    text += std::string{line.at("status").as_string()} + "="
            + std::string{line.at("count").as_string()} + " ";
  CHECK(text == "pending=0 processing=0 retry_wait=0 sent=0 dead=2 cancelled=0 ");
}

TEST_CASE("D-G2 what an actor that is silent would have said is null") {
  actor_tree tree;
  actor_line root;
  root.answered = true;
  root.status.name = "root";
  root.status.state = "running";
  root.status.mailbox = 3;
  root.status.processed = 18'446'744'073'709'551'615U;
  root.status.counters["bytes"] = 1'970'670'598'291'982'290;
  tree.lines.push_back(root);
  actor_line busy;
  busy.depth = 1;
  busy.silent_ms = 700;
  busy.status.name = "consumer";
  tree.lines.push_back(busy);
  auto x = actors_json(tree);
  CHECK(boost::json::serialize(x.at("items").at(0))
        == R"({"name":"root","depth":0,"state":"running","answered":true,"silent_ms":0,)"
           R"("restarts":0,"mailbox":3,"processed":"18446744073709551615","since_success_ms":null,)"
           R"("last_error":null,"counters":{"bytes":"1970670598291982290"}})");
  const auto& silent = x.at("items").at(1);
  CHECK(silent.at("mailbox").is_null());
  CHECK(silent.at("processed").is_null());
  CHECK(silent.at("silent_ms") == 700);
}

TEST_CASE("D-E8 an actor's last error is told by its name only") {
  actor_tree tree;
  actor_line line;
  line.status.last_error =
      "job-dispatcher: crashed(\"FATAL: password authentication failed for user hunter2\")";
  tree.lines.push_back(line);
  CHECK(actors_json(tree).at("items").at(0).at("last_error") == "job-dispatcher: crashed");
}

TEST_CASE("a channel is told with what its actors go by") {
  channels_view view;
  view.configured["email"].rate = 2.5;
  actor_status dispatcher;
  dispatcher.counters = {{"slots_email", 20},  {"prefetch_email", 4},
                         {"idle_email", 19},   {"busy_email", 1},
                         {"waiting_email", 2}, {"rate_per_1000_s_email", 500}};
  view.dispatcher = dispatcher;
  actor_status client;
  client.state = "breaker half open";
  client.counters = {
      {"in_flight", 1}, {"concurrency", 3}, {"breaker_open", 1}, {"breaker_openings", 2}};
  view.clients["email"] = client;
  view.pauses = std::vector<channel_pause>{{"email", moment, "olga"}};
  CHECK(boost::json::serialize(channels_json(view).at("items").at(0))
        == R"({"name":"email","provider":"log","slots":20,"idle":19,"busy":1,"waiting":2,)"
           R"("prefetch":4,"concurrency":3,"rate":5E-1,"in_flight":1,"breaker":"half_open",)"
           R"("breaker_openings":2,"state":"breaker half open","last_error":null,"paused":true,)"
           R"("paused_at":"2026-09-01T16:00:00Z","paused_by":"olga"})");
}

TEST_CASE("D-G2 a channel whose actors are away has its settings, and null for the rest") {
  channels_view view;
  view.configured["email"].slots = 16;
  auto x = channels_json(view).at("items").at(0);
  CHECK(x.at("slots") == 16);
  for (auto name : {"idle", "busy", "waiting", "in_flight", "breaker_openings", "state", "paused"})
    CHECK(x.at(name).is_null());
  CHECK(x.at("breaker") == "unknown");
  view.pauses.emplace();
  CHECK(channels_json(view).at("items").at(0).at("paused") == false);
}

} // namespace
} // namespace notify::http

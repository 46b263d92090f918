#include "actors/stats_collector.hpp"

#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

class fake_stats_store : public stats_store {
public:
  caf::expected<std::map<std::string, channel_counts>> count() override {
    ++rounds;
    if (count_failure)
      return count_failure;
    return answer(counts);
  }
  caf::expected<queue_health> health() override { return answer(state); }
  caf::expected<figure_map> books() override { return answer(difference); }

  template <class T>
  caf::expected<T> answer(const T& x) {
    if (failure)
      return failure;
    return x;
  }

  std::map<std::string, channel_counts> counts;
  queue_health state;
  figure_map difference;
  caf::error failure;       ///< Of every call.
  caf::error count_failure; ///< Of this one.
  size_t rounds = 0;
};

struct stats_collector_fixture : test::actor_fixture {
  ~stats_collector_fixture() { stop(collector); }

  void start() {
    collector = system.spawn(stats_collector, stats_collector_config{5s, metrics}, store, dir);
    settle();
  }

  stats_report report() { return *ask<stats_report>(collector, get_stats{}); }

  int64_t count_of(const std::string& status) {
    for (const auto& x : report().jobs)
      if (x.status == status)
        return x.count;
    return -1;
  }

  std::shared_ptr<fake_stats_store> store = std::make_shared<fake_stats_store>();
  metrics_ptr metrics = private_metrics();
  directory_ptr dir = std::make_shared<directory>();
  stats_collector_actor collector;
};

TEST_CASE_METHOD(stats_collector_fixture, "figures are at hand and renewed in a rhythm") {
  store->counts["email"].created = 7;
  store->counts["email"].tried = 3;
  store->counts["email"].sent = 3;
  store->counts["email"].oldest_due_s = 4;
  start();
  CHECK(store->rounds == 1);
  CHECK(count_of("pending") == 4);
  CHECK(count_of("sent") == 3);
  CHECK(report().oldest_due_s.at("email") == 4);
  CHECK(report().failure.empty());
  // Nobody who asks makes the store look.
  CHECK(store->rounds == 1);
  store->counts["email"].created = 9;
  advance(5500ms);
  CHECK(store->rounds == 2);
  CHECK(count_of("pending") == 6);
  auto text = metrics->text();
  CHECK(text.find("notify_jobs{channel=\"email\",status=\"pending\"} 6") != std::string::npos);
  CHECK(text.find("notify_job_changes_total{channel=\"email\",change=\"created\"} 9")
        != std::string::npos);
}

TEST_CASE_METHOD(stats_collector_fixture, "rates are those of the last minute") {
  start();
  CHECK_FALSE(report().figures.contains("rate.created_per_second"));
  for (int i = 1; i <= 40; ++i) {
    // Ten a second at first, then none.
    store->counts["email"].created = std::min(i, 20) * 50;
    advance(5s);
    if (i == 20)
      CHECK(report().figures.at("rate.created_per_second") == Approx(10).epsilon(0.2));
  }
  CHECK(report().figures.at("rate.created_per_second") == 0);
}

TEST_CASE_METHOD(stats_collector_fixture,
                 "D-G2: a figure that cannot be found out is old or absent, never zero") {
  store->failure = caf::make_error(ec::storage_conflict, std::string{"statement timeout"});
  store->state.figures["clock_skew_s"] = 0.5;
  start();
  CHECK(report().jobs.empty());
  CHECK(report().figures.empty());
  CHECK(report().taken_at_us == 0);
  CHECK(report().failure.find("statement timeout") != std::string::npos);
  CHECK(metrics->text().find("notify_jobs{") == std::string::npos);
  CHECK(metrics->text().find("notify_stats_failed 1") != std::string::npos);
  store->failure = caf::error{};
  store->counts["email"].created = 5;
  store->difference = {{"books_difference.jobs", 0}, {"books_difference.events", 0}};
  advance(6s);
  CHECK(count_of("pending") == 5);
  CHECK(report().failure.empty());
  // Too many wait to be counted: that one figure is unknown now.
  store->difference.erase("books_difference.jobs");
  advance(6s);
  CHECK_FALSE(report().figures.contains("books_difference.jobs"));
  CHECK(report().figures.contains("books_difference.events"));
  store->count_failure = caf::make_error(ec::storage_conflict, std::string{"timeout"});
  store->counts["email"].created = 40;
  store->state.figures["clock_skew_s"] = 0.25;
  advance(6s);
  CHECK(count_of("pending") == 5);
  CHECK(report().figures.at("clock_skew_s") == 0.25);
  CHECK(report().failure.starts_with("counts: "));
  CHECK(ask<actor_status>(collector, get_status{})->state == "running");
  store->failure = caf::make_error(ec::storage_unavailable, std::string{"away"});
  store->counts["email"].created = 50;
  advance(6s);
  CHECK(count_of("pending") == 5);
  CHECK(report().figures.at("clock_skew_s") == 0.25);
  CHECK_FALSE(report().failure.empty());
  CHECK(ask<actor_status>(collector, get_status{})->state == "waiting for storage");
}

TEST_CASE_METHOD(stats_collector_fixture, "a database that takes no writes is noticed") {
  store->state.read_only = true;
  start();
  CHECK(ask<actor_status>(collector, get_status{})->state == "read-only");
  store->state.read_only = false;
  advance(6s);
  auto status = *ask<actor_status>(collector, get_status{});
  CHECK(status.state == "running");
  advance(2s);
  CHECK(ask<actor_status>(collector, get_status{})->since_success_ms >= 1000);
}

} // namespace
} // namespace notify

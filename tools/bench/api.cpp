#include "messages/error.hpp"
#include "persistence/pg_read_store.hpp"
#include "tools/bench/api_seed.hpp"
#include "tools/bench/database.hpp"
#include "tools/bench/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

// How long the answers of the HTTP interface's lists and stories take in a big database: each
// filter by itself, on the first page and deep in the list.

namespace notify::bench {
namespace {

constexpr cli::option options[] = {
    {"postgres", "URL", "An empty, migrated database of this benchmark's own.", {}},
    {"notifications", "N", "How many there are. 0: measure what is there.", "10000000"},
    {"rounds", "N", "How often each question is asked.", "200"},
};

struct setup {
  std::string postgres;
  uint64_t notifications = 0, rounds = 0;
};

class benchmark {
public:
  explicit benchmark(const setup& x) : setup_(x), db_(x.postgres), reads_(config(x)) {}

  void run() {
    if (setup_.notifications > 0)
      seed_notifications(setup_.postgres, setup_.notifications);
    std::printf("%-28s %9s %9s %9s %7s\n", "question", "p50 ms", "p99 ms", "max ms", "items");
    filters();
    stories();
  }

private:
  static postgres_config config(const setup& x) {
    postgres_config result;
    result.url = x.postgres;
    return result;
  }

  template <class T>
  static T value(caf::expected<T> x) {
    if (!x)
      throw std::runtime_error{render(x.error())};
    return std::move(*x);
  }

  /// Asks again and again; `question` returns how many items it got.
  void measure(const std::string& name, const std::function<size_t()>& question) {
    using clock = std::chrono::steady_clock;
    std::vector<double> times;
    size_t items = 0;
    for (uint64_t i = 0; i < setup_.rounds; ++i) {
      auto begin = clock::now();
      items = question();
      times.push_back(std::chrono::duration<double, std::milli>(clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%-28s %9.2f %9.2f %9.2f %7zu\n", name.c_str(), times[times.size() / 2],
                times[times.size() * 99 / 100], times.back(), items);
  }

  void list(const std::string& name, const notification_filter& filter) {
    measure(name, [&] { return value(reads_.list({filter, 50, ""})).items.size(); });
    // Pages from the middle of all, on and on: as one who scrolls and never stops.
    auto middle = static_cast<int64_t>(
        db_.value("select (extract(epoch from now() - interval '45 days') * 1000000)::float8"));
    auto start = make_cursor({middle, {}}, hash_of(filter));
    auto cursor = start;
    measure(name + ", deep", [&] {
      auto page = value(reads_.list({filter, 50, cursor}));
      cursor = page.next.empty() ? start : page.next;
      return page.items.size();
    });
  }

  void filters() {
    list("none", {});
    for (const auto* status : {"pending", "processing", "retry_wait", "sent", "dead", "cancelled"})
      list(std::string{"status "} + status, with(&notification_filter::status, status));
    list("channel, common", with(&notification_filter::channel, "telegram"));
    list("channel, rare", with(&notification_filter::channel, "webhook"));
    list("event type", with(&notification_filter::event_type, "order.type7.v1"));
    list("provider, rare", with(&notification_filter::provider, "rare"));
    list("error code", with(&notification_filter::error_code, "smtp_3"));
    list("error code, rare", with(&notification_filter::error_code, "rare_code"));
    list("recipient", with(&notification_filter::recipient, "user77@example.com"));
    list("recipient, of many",
         with(&notification_filter::recipient, "https://partner.example.com/hook"));
    notification_filter x;
    x.correlation_id = text("select correlation_id from notify.inbox_events limit 1");
    list("correlation id", x);
    x = {};
    x.event_id = *uuid::parse(text("select event_id::text from notify.inbox_events limit 1"));
    list("event id", x);
    x = with(&notification_filter::status, "dead");
    x.channel = "telegram";
    x.error_code = "smtp_3";
    list("dead, channel, error code", x);
  }

  void stories() {
    auto page = value(reads_.list({{}, 200, ""}));
    size_t next = 0;
    auto item = [&]() -> const notification_line& {
      return page.items.at(next++ % page.items.size());
    };
    measure("notification",
            [&] { return value(reads_.notification(item().id)).history.attempts.size(); });
    measure("event", [&] { return value(reads_.event(item().event_id)).notifications.size(); });
    measure("preview of the dead", [&] {
      auto filter = with(&notification_filter::status, "dead");
      return static_cast<size_t>(value(reads_.preview({bulk_kind::retry, filter})).count);
    });
  }

  static notification_filter with(std::string notification_filter::*part, const char* value_) {
    notification_filter x;
    x.*part = value_;
    return x;
  }

  std::string text(const std::string& query) {
    session own{config(setup_), "bench", planner::free};
    return value(own.run([&] {
      std::string result;
      own.sql() << query, soci::into(result);
      return result;
    }));
  }

  setup setup_;
  database db_;
  pg_read_store reads_;
};

caf::expected<setup> read_setup(const cli::arguments& args) {
  setup x;
  if (!args.has("postgres"))
    return caf::make_error(ec::invalid_config, std::string{"--postgres is missing"});
  x.postgres = args.at("postgres");
  auto notifications = cli::number(args, "notifications", 0, 1'000'000'000);
  if (!notifications)
    return notifications.error();
  x.notifications = static_cast<uint64_t>(*notifications);
  auto rounds = cli::number(args, "rounds", 1, 1'000'000);
  if (!rounds)
    return rounds.error();
  x.rounds = static_cast<uint64_t>(*rounds);
  return x;
}

int run(std::span<const char* const> words) {
  return run_program("notify-bench-api", "--postgres=URL", options, words, read_setup,
                     [](const setup& x) { benchmark{x}.run(); });
}

} // namespace
} // namespace notify::bench

int main(int argc, char** argv) {
  std::vector<const char*> words(argv + 1, argv + argc);
  return notify::bench::run(words);
}

#include "tests/kill/kill_fixture.hpp"

#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tests/support/wait.hpp"
#include "tools/sample_events.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <limits>

namespace notify::test {

namespace {

constexpr auto routes_file = NOTIFY_SOURCE_DIR "/tools/config/routes.json";
constexpr auto unsent = "select count(*) from notify.notifications where status <> 'sent'";

/// The job's id in a Message-ID or an idempotency key.
std::string job_of(const std::string& key) {
  return key.substr(0, key.find('@'));
}

} // namespace

void kill_fixture::seed(size_t count) {
  auto routes = routing_table::load(routes_file);
  REQUIRE(routes);
  std::vector<kafka_record> records;
  for (size_t i = 0; i < count; ++i) {
    auto made = sample::make_event({});
    kafka_record record;
    record.topic = "orders.events.v1";
    record.offset = static_cast<int64_t>(seeded_++);
    record.key = made.key;
    record.value = made.value;
    records.push_back(std::move(record));
  }
  auto plan = plan_batch(records, *routes, {});
  REQUIRE(plan.batch.events.size() == count);
  pg_ingest_store store{db.config()};
  auto stored = store.store(plan.batch);
  INFO((stored ? std::string{} : render(stored.error())));
  REQUIRE(stored);
  REQUIRE(stored->jobs == count);
}

std::vector<std::string> kill_fixture::settings(const std::string& instance) const {
  return {"run", "--service.run-ingest=false", "--service.run-http=false",
          "--service.instance=" + instance, std::string{"--service.routes-file="} + routes_file,
          "--service.templates-folder=" NOTIFY_SOURCE_DIR "/tools/config/templates",
          "--postgres.url=" + db.url(), "--postgres.application-name=" + instance,
          "--delivery.poll-interval=50ms", "--delivery.lease=7100ms",
          "--delivery.heartbeat-interval=1s", "--reaper.interval=100ms",
          // A test kills the same job again and again; none may die of that.
          "--reaper.reclaim-cap=1000", "--channel-email.provider=smtp",
          "--channel-email.smtp-security=none",
          "--channel-email.smtp-port=" + std::to_string(provider.smtp_port()),
          "--channel-email.smtp-from-address=shop@example.com", "--channel-email.deadline=2s",
          "--channel-email.slots=4", "--channel-email.prefetch=8",
          "--channel-email.breaker-failures=0", "--channel-email.retry-base=100ms",
          "--channel-email.retry-factor=1", "--channel-email.retry-attempts=1000",
          "--channel-email.retry-unknown-delay=100ms",
          "--channel-email.retry-unknown-attempts=1000", "--logging.format=json"};
}

std::vector<std::string> kill_fixture::arguments(const std::string& instance,
                                                 const std::vector<std::string>& more) const {
  auto words = settings(instance);
  for (const auto& word : more) {
    auto name = word.substr(0, word.find('=') + 1);
    std::erase_if(words, [&](const auto& x) { return x.starts_with(name); });
    words.push_back(word);
  }
  return words;
}

daemon kill_fixture::start(const std::string& instance, const std::vector<std::string>& more) {
  return daemon{"notifyd", arguments(instance, more)};
}

void kill_fixture::finish(const std::vector<std::string>& more) {
  provider.set_script("[]");
  provider.release();
  std::vector<std::string> settings{"--channel-email.slots=16", "--channel-email.prefetch=64"};
  settings.insert(settings.end(), more.begin(), more.end());
  auto last = start("finisher", settings);
  require_value(unsent, "0");
  require_value("select count(*) from notify.leases", "0");
  last.signal(SIGTERM);
  CHECK(last.wait() == 0);
}

void kill_fixture::require_value(const std::string& sql, const std::string& wanted) {
  eventually([&] { return db.value(sql) == wanted; });
  INFO(sql);
  REQUIRE(db.value(sql) == wanted);
}

int kill_fixture::terminate(const std::string& instance) {
  return std::stoi(db.value("select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity"
                            " where datname = current_database() and application_name like '"
                            + instance + "/%'"));
}

acceptances kill_fixture::accepted() const {
  acceptances result;
  for (const auto& x : provider.tallies())
    if (x.accepted > 0)
      result[job_of(x.key)] += x.accepted;
  return result;
}

acceptances kill_fixture::accepted_unrecorded(const std::string& instance) {
  require_value("select count(*) from pg_stat_activity where datname = current_database()"
                " and application_name like '"
                    + instance + "/%'",
                "0");
  auto result = accepted();
  for (const auto& row : db.query("select id from notify.notification_jobs where status = 'sent'"))
    result.erase(row[0]);
  return result;
}

void kill_fixture::check_invariants() {
  CHECK(broken_invariants(db, {{"order.paid.v1", "email"}}) == nothing);
}

bool await_message(const daemon& program, const std::string& message) {
  auto text = "\"message\":\"" + message + '"';
  return eventually([&] { return program.output().find(text) != std::string::npos; });
}

int64_t last_lease(postgres_fixture& db) {
  return std::stoll(db.value("select coalesce(max(id), 0) from notify.leases"));
}

} // namespace notify::test

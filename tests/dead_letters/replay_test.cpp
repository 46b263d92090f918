#include "actors/dead_letter_replay.hpp"

#include "tests/actors/ingest/sample_records.hpp"
#include "tests/dead_letters/fakes.hpp"
#include "tests/dead_letters/letter_samples.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

/// An inbox in memory that settles letters as the real one does.
class memory_inbox : public ingest_store {
public:
  explicit memory_inbox(memory_letters& letters) : letters_(letters) {}

  caf::expected<ingest_report> store(const ingest_batch& batch) override {
    ++calls;
    if (!available)
      return caf::make_error(ec::storage_unavailable, std::string{"switched off"});
    CHECK(batch.moves.empty());
    CHECK(batch.dead_letters.empty());
    for (const auto& x : batch.events)
      if (x.event_id == bad)
        return caf::make_error(ec::storage_data, std::string{"22P02"});
    ingest_report report;
    std::set<uuid> fresh;
    for (const auto& x : batch.events)
      if (events.insert(x.event_id).second)
        fresh.insert(x.event_id);
    report.events = fresh.size();
    report.jobs = batch.jobs.size();
    for (const auto& x : batch.replayed) {
      if (!letters_.settle(x))
        continue;
      if (!x.accepted)
        ++report.replayed.refused;
      else
        ++(fresh.erase(*x.event_id) > 0 ? report.replayed.stored : report.replayed.duplicates);
    }
    return report;
  }

  std::set<uuid> events;
  uuid bad;
  bool available = true;
  size_t calls = 0;

private:
  memory_letters& letters_;
};

struct replay_fixture {
  /// A letter whose record is valid by today's routes.
  void add_valid(int64_t id) { letters.add(text_letter(id, envelope(static_cast<uint64_t>(id)))); }

  void add_broken(int64_t id) { letters.add(text_letter(id, "{\"cut\":")); }

  replay_report run(const replay_request& request) {
    auto report = runner().run(request);
    REQUIRE(report);
    return *report;
  }

  dead_letter_replay runner() { return {letters, inbox, {routes(), limits}, size}; }

  memory_letters letters;
  memory_inbox inbox{letters};
  envelope_limits limits;
  letter_batch_size size{10, 1000};
};

TEST_CASE_METHOD(replay_fixture, "a replay stores what is valid by now and settles it") {
  add_valid(1);
  add_broken(2);
  auto report = run({});
  CHECK(report.tried == 2);
  CHECK(report.stored == 1);
  CHECK(report.jobs == 1);
  CHECK(report.refused == 1);
  CHECK(report.reasons == std::map<std::string, uint64_t>{{"not_json", 1}});
  CHECK(letters.get(1).info.replayed_us);
  CHECK(letters.get(1).info.attempts == 2);
  auto dead = letters.get(2).info;
  CHECK_FALSE(dead.replayed_us);
  CHECK(dead.attempts == 3);
  CHECK(dead.detail != "at byte 1");
}

TEST_CASE_METHOD(replay_fixture, "a replay takes each letter once and settled ones never again") {
  for (int64_t id = 1; id <= 25; ++id)
    add_broken(id);
  add_valid(26);
  CHECK(run({}).tried == 26);
  auto again = run({});
  CHECK(again.tried == 25);
  CHECK(again.stored == 0);
  replay_request one;
  one.ids = {26, 26, 27};
  auto named = run(one);
  CHECK(named.tried == 0);
  CHECK(named.settled == 1);
  CHECK(named.missing == 1);
}

TEST_CASE_METHOD(replay_fixture, "letters of one event become one event") {
  letters.add(text_letter(1, envelope(7)));
  letters.add(text_letter(2, envelope(7)));
  auto report = run({});
  CHECK(report.stored == 1);
  CHECK(report.duplicates == 1);
  CHECK(letters.get(2).info.replayed_us);
  CHECK(inbox.events.size() == 1);
}

TEST_CASE_METHOD(replay_fixture, "a dry run tells and changes nothing") {
  add_valid(1);
  add_broken(2);
  replay_request request;
  request.dry_run = true;
  auto report = run(request);
  CHECK(report.stored == 1);
  CHECK(report.jobs == 1);
  CHECK(report.refused == 1);
  CHECK(inbox.calls == 0);
  CHECK_FALSE(letters.get(1).info.replayed_us);
  CHECK(letters.get(2).info.attempts == 2);
}

TEST_CASE_METHOD(replay_fixture, "a replay judges by today's limits") {
  letters.add(text_letter(1, envelope(1, R"({"email":"a@example.com","x":[[[[1]]]]})")));
  limits.max_depth = 3;
  CHECK(run({}).reasons.contains("too_deep"));
  limits.max_depth = 10;
  CHECK(run({}).stored == 1);
}

TEST_CASE_METHOD(replay_fixture, "a filter and a limit choose the oldest letters that fit") {
  for (int64_t id = 1; id <= 30; ++id)
    add_valid(id);
  auto other = text_letter(31, envelope(31));
  other.info.reason = "too_large";
  letters.add(other);
  replay_request request;
  request.filter.reason = "not_json";
  request.limit = 15;
  CHECK(run(request).stored == 15);
  CHECK(letters.get(15).info.replayed_us);
  CHECK_FALSE(letters.get(16).info.replayed_us);
  request.limit = 0;
  CHECK(run(request).stored == 15);
  CHECK_FALSE(letters.get(31).info.replayed_us);
}

TEST_CASE_METHOD(replay_fixture, "batches are bounded by letters and by bytes") {
  for (int64_t id = 1; id <= 12; ++id) {
    auto x = text_letter(id, std::string(400, 'x'));
    letters.add(x);
  }
  run({});
  // 10 letters a page, 1000 bytes a transaction.
  CHECK(letters.loads == std::vector<size_t>{2, 2, 2, 2, 2, 2});
  CHECK(inbox.calls == 6);
}

TEST_CASE_METHOD(replay_fixture, "an event that the database refuses stays dead, alone") {
  for (int64_t id = 1; id <= 9; ++id)
    add_valid(id);
  inbox.bad = event_id(4);
  size.bytes = 100'000;
  auto report = run({});
  CHECK(report.stored == 8);
  CHECK(report.refused == 1);
  CHECK(letters.get(4).info.reason == "storage_refused");
  CHECK_FALSE(letters.get(4).info.replayed_us);
}

TEST_CASE_METHOD(replay_fixture, "an outage ends the run, and the same request goes on later") {
  for (int64_t id = 1; id <= 12; ++id)
    add_valid(id);
  auto stopped = runner().run({}, [&](const auto&) { inbox.available = false; });
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error() == ec::storage_unavailable);
  auto done = inbox.events.size();
  CHECK(done > 0);
  inbox.available = true;
  CHECK(run({}).stored == 12 - done);
}

} // namespace
} // namespace notify

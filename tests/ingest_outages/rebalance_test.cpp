#include "persistence/pg_ingest_store.hpp"
#include "tests/ingest_outages/outage_fixture.hpp"
#include "tests/integration/ingest/guest.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <mutex>

// Partitions that move while the database is away, slow, or in the middle of a batch.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

/// Holds every ingest transaction of sessions called `victim/...`, before it has written anything,
/// until `release`.
class held_batches {
public:
  held_batches(postgres_fixture& db, const std::string& victim) : blocker_(db.url()) {
    db.query("create function hold_batch() returns trigger language plpgsql as $$ begin"
             " if current_setting('application_name') like '"
             + victim
             + "/%' then perform pg_advisory_xact_lock(77); end if; return null; end $$;"
               " create trigger hold_batch before insert on notify.inbox_events"
               " for each statement execute function hold_batch()");
    blocker_.query("begin; select pg_advisory_xact_lock(77)");
  }

  void release() { blocker_.query("rollback"); }

private:
  raw_connection blocker_;
};

bool in_flight(group_member& member) {
  return eventually([&] { return member.status().counters["in_flight"] > 0; });
}

int64_t sum(const std::map<int32_t, int64_t>& offsets) {
  int64_t result = 0;
  for (const auto& [partition, offset] : offsets)
    result += offset;
  return result;
}

TEST_CASE("K-8: partitions that came and went while the gate was closed all move when it opens") {
  outage_fixture fixture;
  tcp_proxy proxy{port_of(fixture.db.url())};
  auto member = fixture.member("one", fixture.quick(), {}, proxy.in_front_of(fixture.db.url()));
  REQUIRE(member->owns(4));
  proxy.cut();
  fixture.produce(0, 400);
  REQUIRE(member->reaches("paused"));
  {
    guest other{fixture.quick()};
    REQUIRE(other.is_assigned());
    REQUIRE(member->owns(2));
    CHECK(member->status().counters["paused"] == 2);
    CHECK(fixture.committed().empty());
    // The gate opens while two of them are away.
    proxy.restore();
    REQUIRE(member->reaches("assigned"));
    REQUIRE(other.leave());
  }
  REQUIRE(member->owns(4));
  REQUIRE(fixture.reaches(all_events, "400"));
  // Each of them, not only those that were read before.
  fixture.produce(400, 400);
  REQUIRE(fixture.reaches(all_events, "800"));
  CHECK(fixture.db.value("select count(distinct partition) from notify.inbox_events"
                         " where \"offset\" > 150")
        == "4");
  CHECK(eventually([&] { return fixture.committed_records() == 800; }));
  fixture.check_stored(800);
  CHECK(member->status().counters["paused"] == 0);
}

TEST_CASE("K-11: a rebalance with batches in flight commits nothing that is not stored") {
  outage_fixture fixture;
  held_batches hold{fixture.db, "slow"};
  auto member = fixture.member("slow", fixture.quick());
  REQUIRE(member->owns(4));
  fixture.produce(0, 500);
  REQUIRE(in_flight(*member));
  {
    guest other{fixture.quick()};
    REQUIRE(other.is_assigned());
    REQUIRE(member->owns(2));
    // The highest offset that was read is 500 by now, the highest that is stored is none.
    CHECK(fixture.committed().empty());
    hold.release();
    REQUIRE(other.leave());
  }
  REQUIRE(fixture.reaches(all_events, "500"));
  REQUIRE(member->owns(4));
  fixture.produce(500, 100);
  REQUIRE(fixture.reaches(all_events, "600"));
  CHECK(eventually([&] { return fixture.committed_records() == 600; }));
  fixture.check_stored(600);
}

TEST_CASE("K-12: a batch that comes back after its partitions moved commits nothing for them") {
  outage_fixture fixture;
  held_batches hold{fixture.db, "slow"};
  auto slow = fixture.member("slow", fixture.quick());
  REQUIRE(slow->owns(4));
  fixture.produce(0, 200);
  REQUIRE(in_flight(*slow));
  auto fast = fixture.member("fast", fixture.quick());
  REQUIRE(fast->owns(2));
  // The new owner stores its half, and more than the held batch ever knew of.
  fixture.produce(200, 200);
  std::map<int32_t, int64_t> before;
  REQUIRE(eventually([&] {
    before = fixture.committed();
    return before.size() == 2 && sum(before) > 150
           && fixture.db.value(all_events) == std::to_string(sum(before));
  }));
  hold.release();
  REQUIRE(eventually([&] { return slow->status().counters["stale_results"] > 0; }));
  REQUIRE(eventually([&] {
    // The slow member commits again, for its own half, and each look must find the other half where
    // its owner had brought it.
    auto now = fixture.committed();
    for (const auto& [partition, offset] : before)
      CHECK(now[partition] >= offset);
    fixture.check_invariant();
    return sum(now) == 400;
  }));
  fixture.check_stored(400);
}

/// A source whose poll stands still while the test says so, as a poll thread would that does
/// something it should not.
class stalling_source : public kafka::record_source {
public:
  struct control {
    std::mutex mutex;
    std::condition_variable changed;
    bool stalled = false;

    void set(bool on) {
      std::lock_guard guard{mutex};
      stalled = on;
      changed.notify_all();
    }
  };

  stalling_source(std::unique_ptr<record_source> real, std::shared_ptr<control> how)
      : real_(std::move(real)), how_(std::move(how)) {}

  kafka::source_event poll(caf::timespan timeout) override {
    std::unique_lock lock{how_->mutex};
    how_->changed.wait(lock, [this] { return !how_->stalled; });
    lock.unlock();
    return real_->poll(timeout);
  }

  caf::error join() override { return real_->join(); }
  void set_gate(bool open) override { real_->set_gate(open); }
  uint64_t epoch(const kafka::topic_partition& x) const override { return real_->epoch(x); }
  kafka::store_verdict store_offset(const kafka::topic_partition& x, uint64_t epoch,
                                    int64_t next_offset) override {
    return real_->store_offset(x, epoch, next_offset);
  }
  bool commit() override { return real_->commit(); }
  void finish_revoke() override { real_->finish_revoke(); }
  void begin_close() override { real_->begin_close(); }
  bool closed() const override { return real_->closed(); }

private:
  std::unique_ptr<record_source> real_;
  std::shared_ptr<control> how_;
};

record_source_factory stalling(const consumer_config& config,
                               std::shared_ptr<stalling_source::control> control) {
  return [control, open = kafka_records(with_life(
                       config))]() -> caf::expected<std::unique_ptr<kafka::record_source>> {
    auto real = open();
    if (!real)
      return real.error();
    return std::unique_ptr<kafka::record_source>{new stalling_source{std::move(*real), control}};
  };
}

TEST_CASE("K-15: a poll loop that stalls while a member joins moves no offset of the others") {
  outage_fixture fixture;
  held_batches hold{fixture.db, "stalled"};
  auto control = std::make_shared<stalling_source::control>();
  auto config = fixture.quick();
  auto stalled = fixture.member("stalled", config, stalling(config, control));
  REQUIRE(stalled->owns(4));
  fixture.produce(0, 200);
  REQUIRE(in_flight(*stalled));
  control->set(true);
  auto other = fixture.member("other", config);
  // Waits out max-poll-interval of the first, then has everything.
  REQUIRE(other->owns(4));
  fixture.produce(200, 200);
  REQUIRE(eventually([&] { return fixture.committed_records() == 400; }));
  auto before = fixture.committed();
  hold.release();
  control->set(false);
  // It finds out, joins again, and shares.
  REQUIRE(stalled->owns(2));
  // Its batch has come home, and whatever it made of that was refused here or at the broker.
  CHECK(eventually([&] { return stalled->status().counters["batches"] > 1; }));
  CHECK(stalled->status().counters["late_polls"] > 0);
  fixture.produce(400, 50);
  REQUIRE(eventually([&] {
    auto now = fixture.committed();
    for (const auto& [partition, offset] : before)
      CHECK(now[partition] >= offset);
    return sum(now) == 450;
  }));
  fixture.check_stored(450);
}

TEST_CASE("a batch whose partition moved while its writer was at work is no death: the new owner "
          "stores it in one piece") {
  outage_fixture fixture{1};
  fixture.db.query("create sequence batches;"
                   " create function count_batch() returns trigger language plpgsql as $$ begin"
                   " perform nextval('batches'); return null; end $$;"
                   " create trigger count_batch after insert on notify.inbox_events"
                   " for each statement execute function count_batch()");
  held_batches hold{fixture.db, "stalled"};
  fixture.produce(0, 200);
  auto control = std::make_shared<stalling_source::control>();
  auto config = fixture.quick();
  auto stalled = fixture.member("stalled", config, stalling(config, control));
  // Marked, and about to be written. The mark is of a batch, which may be less than all.
  REQUIRE(eventually([&] {
    return fixture.db.value("select coalesce(sum(next_offset - first_offset), 0) > 50"
                            " from notify.ingest_suspects")
           == "t";
  }));
  control->set(true);
  auto other = fixture.member("other", config);
  REQUIRE(other->owns(1));
  REQUIRE(fixture.reaches(all_events, "200"));
  // One by one they would be more than fifty.
  CHECK(std::stoi(fixture.db.value("select last_value from batches")) <= 10);
  hold.release();
  control->set(false);
  CHECK(eventually([&] { return fixture.committed_records() == 200; }));
  fixture.check_stored(200);
}

TEST_CASE(
    "K-30, K-34: an outage of twice max-poll-interval costs no membership and poisons nothing") {
  outage_fixture fixture;
  tcp_proxy proxy{port_of(fixture.db.url())};
  auto config = fixture.quick();
  auto member = fixture.member("one", config, {}, proxy.in_front_of(fixture.db.url()));
  REQUIRE(member->owns(4));
  auto rebalances = member->status().counters["rebalances"];
  proxy.cut();
  fixture.produce(0, 300);
  REQUIRE(member->reaches("paused"));
  auto end = std::chrono::steady_clock::now() + 2 * config.max_poll_interval;
  REQUIRE(eventually([&] { return std::chrono::steady_clock::now() > end; }));
  CHECK(member->status().state == "paused");
  CHECK(fixture.committed().empty());
  proxy.restore();
  REQUIRE(fixture.reaches(all_events, "300"));
  CHECK(member->status().counters["rebalances"] == rebalances);
  CHECK(eventually([&] { return fixture.committed_records() == 300; }));
  fixture.check_stored(300);
}

/// Every ingest transaction takes so long.
void slow_down(postgres_fixture& db, const std::string& seconds) {
  db.query("create function be_slow() returns trigger language plpgsql as"
           " $$ begin perform pg_sleep("
           + seconds
           + "); return null; end $$;"
             " create trigger be_slow before insert on notify.inbox_events"
             " for each statement execute function be_slow()");
}

TEST_CASE("K-32: a slow database under constant rebalances makes no job twice") {
  outage_fixture fixture;
  slow_down(fixture.db, "1.1");
  auto first = fixture.member("first", fixture.quick());
  REQUIRE(first->owns(4));
  uint64_t sent = 0;
  for (int round = 0; round < 3; ++round) {
    fixture.produce(sent, 200);
    sent += 200;
    REQUIRE(in_flight(*first));
    auto second = fixture.member("second", fixture.quick());
    REQUIRE(second->owns(2));
    fixture.check_invariant();
    second->stop();
    REQUIRE(first->owns(4));
  }
  REQUIRE(fixture.reaches(all_events, std::to_string(sent)));
  CHECK(eventually([&] { return fixture.committed_records() == static_cast<int64_t>(sent); }));
  fixture.check_stored(sent);
}

TEST_CASE("no committed offset is ever ahead of the tables, whoever joins and leaves, however slow "
          "the database is") {
  outage_fixture fixture;
  // Some batches are done within drain-timeout, others come home after their partitions have left.
  slow_down(fixture.db, "random() * 1.5");
  auto poison = [&] {
    kafka::outgoing_record x;
    x.value = {true, "not json"};
    fixture.produce(x);
  };
  std::vector<std::unique_ptr<group_member>> members;
  members.push_back(fixture.member("a", fixture.quick()));
  REQUIRE(members.front()->owns(4));
  uint64_t sent = 0;
  auto load = [&] {
    fixture.produce(sent, 300);
    sent += 300;
    poison();
    fixture.check_invariant();
  };
  // One, two and three members; those that leave are not always those that came last.
  for (const auto* step : {"+b", "+c", "-0", "-0", "+d", "-1", "+e", "+f", "-0"}) {
    load();
    if (step[0] == '+')
      members.push_back(fixture.member(step + 1, fixture.quick()));
    else
      members.erase(members.begin() + (step[1] - '0'));
    load();
    REQUIRE(eventually([&] {
      fixture.check_invariant();
      int64_t owned = 0;
      for (auto& x : members)
        owned += x->status().counters["assigned"];
      return owned == 4;
    }));
  }
  REQUIRE(fixture.reaches(all_events, std::to_string(sent)));
  REQUIRE(fixture.reaches(all_dead_letters, "18"));
  CHECK(fixture.db.value(all_jobs) == std::to_string(sent));
  CHECK(eventually([&] { return fixture.committed_records() == static_cast<int64_t>(sent + 18); }));
}

} // namespace
} // namespace notify::test

#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

TEST_CASE_METHOD(populated_fixture, "every filter lists what the view says, newest first") {
  for (const auto& x : sample_filters()) {
    INFO(x.name);
    auto wanted = expected(x.condition);
    CHECK(listed(reads, x.filter, 200) == wanted);
    CHECK(listed(reads, x.filter, 7) == wanted);
  }
  CHECK(listed(reads, {}, 50) == expected("true"));
}

TEST_CASE_METHOD(populated_fixture, "answers that look at few rows only come to the same end") {
  read_bounds narrow;
  narrow.look = 13;
  narrow.patience = caf::timespan{0};
  pg_read_store hasty{db.config(), narrow};
  for (const auto& x : sample_filters()) {
    INFO(x.name);
    CHECK(listed(hasty, x.filter, 5) == expected(x.condition));
  }
}

TEST_CASE_METHOD(populated_fixture, "a page tells a notification as it is") {
  notification_filter dead;
  dead.status = "dead";
  auto page = required(reads.list({dead, 1, ""}));
  REQUIRE(page.items.size() == 1);
  const auto& x = page.items[0];
  CHECK(strings{to_string(x.event_id), x.event_type, x.channel, x.recipient, x.status,
                x.dead_reason, x.last_error_code, x.provider, std::to_string(x.created_us)}
        == job_row(x.id, "event_id, event_type, channel, recipient, status, dead_reason, "
                         "last_error_code, provider, "
                         "(extract(epoch from created_at) * 1000000)::bigint"));
  CHECK(x.finished_us);
  CHECK_FALSE(x.due_us);
  CHECK_FALSE(x.expires_us);
  CHECK_FALSE(page.next.empty());
}

TEST_CASE_METHOD(populated_fixture, "filters and cursors that make no sense are refused") {
  auto refused = [&](const notification_filter& x, const std::string& cursor) {
    auto page = reads.list({x, 5, cursor});
    return !page && page.error() == ec::invalid_request;
  };
  notification_filter dead, sent, odd, early;
  dead.status = "dead";
  sent.status = "sent";
  odd.status = "failed";
  early.created_to_us = -1;
  CHECK(refused(odd, ""));
  CHECK(refused(early, ""));
  notification_filter cut;
  cut.recipient = std::string{"a\0b", 3};
  CHECK(refused(cut, ""));
  auto cursor = required(reads.list({dead, 5, ""})).next;
  REQUIRE_FALSE(cursor.empty());
  CHECK_FALSE(refused(dead, cursor));
  CHECK(refused(sent, cursor));
  CHECK(refused(dead, cursor + "0"));
  CHECK(refused(dead, "x"));
}

TEST_CASE_METHOD(populated_fixture, "one id for all of a producer's events makes no long sort") {
  // More events than are sorted for one answer: the list goes along all notifications instead.
  populate(db, 10'001, 2'000);
  db.query("update notify.inbox_events set correlation_id = 'all'");
  notification_filter all;
  all.correlation_id = "all";
  CHECK(listed(reads, all, 200) == expected("true"));
}

TEST_CASE_METHOD(populated_fixture, "Q-B33: whoever looks waits for the database, claims do not") {
  auto impatient = db.config();
  impatient.statement_timeout = 300ms;
  pg_read_store looker{impatient};
  REQUIRE(looker.pauses());
  raw_connection holder{db.url()};
  holder.query("begin; lock table notify.audit_log in access exclusive mode");
  auto page = looker.audit({});
  REQUIRE_FALSE(page);
  CHECK(page.error() == ec::storage_conflict);
  CHECK(claims.claim("email", 5, 60s)->size() == 5);
  // And after its time is over it can look again.
  CHECK(looker.list({{}, 5, ""}));
}

} // namespace
} // namespace notify::test

#include "messages/error.hpp"
#include "messages/safe_text.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace notify {
namespace {

using namespace test;

const std::string replacement = "\xEF\xBF\xBD";

// Every text that comes from outside, filled with the same.
void fill(outcome& x, const std::string& text) {
  x.provider = text;
  x.provider_code = text;
  x.provider_message_id = text;
  x.reason = text;
  x.detail = text;
}

// The texts of the job's attempt and of its record.
std::vector<std::string> stored_texts(store_fixture& f, const uuid& job_id) {
  auto result = f.attempt_row(job_id, "detail, provider, provider_code, provider_message_id, "
                                      "error_code");
  for (auto& x : f.job_row(job_id, "provider, provider_message_id"))
    result.push_back(x);
  return result;
}

struct text_fixture : store_fixture {
  // A job that is being sent.
  delivery_job begin() {
    ingest(db, ++events);
    return claim(1).front();
  }

  uint64_t events = 0;
};

TEST_CASE_METHOD(text_fixture, "D-B1: a provider's text of any length never keeps a result from "
                               "being recorded") {
  const std::string megabyte(1u << 20u, 'x');
  for (auto next : {next_step::sent, next_step::retry, next_step::dead}) {
    auto job = begin();
    auto x = sample_result(job, next);
    fill(x.answer, megabyte);
    record({x}, {job.lease_id});
    CHECK(job_row(job.job_id, "status")
          == strings{next == next_step::sent    ? "sent"
                     : next == next_step::retry ? "retry_wait"
                                                : "dead"});
    for (const auto& text : stored_texts(*this, job.job_id)) {
      CHECK(text.size() >= 100);
      CHECK(text.size() <= 4096);
      CHECK(text == megabyte.substr(0, text.size()));
    }
    db.query("delete from notify.job_queue");
  }
}

TEST_CASE_METHOD(text_fixture, "D-B4: a NUL in a provider's text is shown as a replacement "
                               "character") {
  auto job = begin();
  auto x = sample_result(job, next_step::sent);
  fill(x.answer, std::string("before\0after", 12));
  record({x}, {job.lease_id});
  CHECK(job_row(job.job_id, "status") == strings{"sent"});
  for (const auto& text : stored_texts(*this, job.job_id))
    CHECK(text == "before" + replacement + "after");
}

TEST_CASE_METHOD(text_fixture, "Q-B15: a failure is recorded and its job released, whatever bytes "
                               "describe it") {
  const std::vector<std::string> hostile = {
      std::string("\0", 1),
      std::string("{\"error\":\"\\u0000\"}"),
      "\xED\xA0\x80",                        // Half of a surrogate pair.
      "\\ud800",                             // The same, as an escape: harmless here.
      "\xFF\xFE\x00\x01",                    // Not UTF-8 at all.
      "\xC3",                                // Cut inside a character.
      "\xF0\x9F\x93\xA7 mail",               // Four bytes.
      "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",    // Right to left.
      "\xE2\x80\xAE reversed",               // An override of the direction.
      "\"quote\" {brace} \\backslash, NULL", // What arrays are made of.
      "NULL",
      std::string(1u << 20u, '\xFF'),
  };
  for (const auto& text : hostile) {
    auto job = begin();
    auto x = sample_result(job, next_step::retry);
    fill(x.answer, text);
    record({x}, {job.lease_id});
    CHECK(status_of(db, job.job_id) == "retry_wait");
    for (const auto& stored : stored_texts(*this, job.job_id)) {
      CHECK(safe_text(stored, stored.size()) == stored);
      if (text.size() < 100)
        CHECK(stored == safe_text(text, 100));
    }
    CHECK(misplaced_jobs(db) == 0);
    db.query("delete from notify.job_queue");
    db.query("update notify.notification_jobs set status = 'cancelled', finished_at = now()");
  }
}

TEST_CASE_METHOD(text_fixture, "a late success is noted whatever text came with it") {
  auto job = begin();
  expire();
  REQUIRE(reap().released == 1);
  auto x = sample_result(job, next_step::sent);
  fill(x.answer, std::string("id\0\xFF", 4));
  auto changed = results.record_late_success(x);
  REQUIRE(changed);
  CHECK(*changed);
  CHECK(job_row(job.job_id, "provider_message_id") == strings{"id" + replacement + replacement});
}

TEST_CASE_METHOD(text_fixture, "D-B8: results whose attempts could not be inserted are recorded by "
                               "the same call again, and nothing is sent for it") {
  db.query("create sequence tries; create table refuses (code text); "
           "insert into refuses values ('');"
           "create function refuse_once() returns trigger language plpgsql as $$ begin "
           "if nextval('tries') = 1 then raise exception 'refused' using errcode = "
           "(select code from refuses); end if; return new; end $$; "
           "create trigger refuse_once before insert on notify.delivery_attempts "
           "for each row execute function refuse_once()");
  // A full disk, a conflict, a time-out, and what nobody foresaw.
  for (const auto* code : {"53100", "40001", "57014", "P0001"}) {
    ingest(db, events += 2);
    auto jobs = claim(2);
    auto lease = jobs[0].lease_id;
    const std::vector<attempt_result> batch = {sample_result(jobs[0], next_step::sent),
                                               sample_result(jobs[1], next_step::retry)};
    db.query("alter sequence tries restart; update refuses set code = '" + std::string{code} + "'");
    auto refused = results.record(batch, {lease});
    REQUIRE_FALSE(refused);
    CHECK(is_transient(refused.error()));
    // Nothing of it happened: both are still in flight, so nobody sends them.
    CHECK(status_of(db, jobs[0].job_id) == "processing");
    CHECK(status_of(db, jobs[1].job_id) == "processing");
    CHECK(count("notify.leases") == "1");
    CHECK(misplaced_jobs(db) == 0);
    auto none = claims.claim("email", 10, 60s);
    REQUIRE(none);
    CHECK(none->empty());
    record(batch, {lease});
    CHECK(job_row(jobs[0].job_id, "status, attempt_count") == strings{"sent", "1"});
    CHECK(job_row(jobs[1].job_id, "status, attempt_count") == strings{"retry_wait", "1"});
    CHECK(count("notify.leases") == "0");
    CHECK(misplaced_jobs(db) == 0);
    auto again = claim(1).front();
    record({sample_result(again, next_step::sent)}, {again.lease_id});
  }
  CHECK(count("notify.delivery_attempts") == std::to_string(3 * events / 2));
}

} // namespace
} // namespace notify

#include "tests/persistence/store_fixture.hpp"

#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace notify::test {

std::vector<delivery_job> store_fixture::claim(uint32_t count, const std::string& channel) {
  auto jobs = claims.claim(channel, count, 60s);
  if (!jobs)
    FAIL(render(jobs.error()));
  REQUIRE(jobs->size() == count);
  std::sort(jobs->begin(), jobs->end(), [](auto& a, auto& b) { return a.job_id < b.job_id; });
  return *jobs;
}

void store_fixture::record(const std::vector<attempt_result>& some,
                           const std::vector<int64_t>& done) {
  auto applied = results.record(some, done);
  if (!applied)
    FAIL(render(applied.error()));
  CHECK(*applied == std::vector<bool>(some.size(), true));
}

reap_report store_fixture::reap(uint32_t limit, int32_t cap) {
  auto report = reaper.reap(limit, cap);
  if (!report)
    FAIL(render(report.error()));
  return *report;
}

void store_fixture::expire() {
  db.query("update notify.leases set lease_until = now() - interval '1 second'");
}

void store_fixture::make_due() {
  db.query("update notify.job_queue set due_at = now()");
}

store_fixture::strings store_fixture::job_row(const uuid& job_id, const std::string& columns) {
  return db
      .query("select " + columns + " from notify.notifications where id = '" + to_string(job_id)
             + "'")
      .at(0);
}

store_fixture::strings store_fixture::attempt_row(const uuid& job_id, const std::string& columns) {
  return db
      .query("select " + columns + " from notify.delivery_attempts where job_id = '"
             + to_string(job_id) + "' order by attempt_no desc limit 1")
      .at(0);
}

std::string store_fixture::count(const std::string& from) {
  return db.value("select count(*) from " + from);
}

} // namespace notify::test

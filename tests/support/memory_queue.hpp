#pragma once

#include "persistence/claim_store.hpp"
#include "persistence/result_store.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace notify::test {

/// Jobs, queue and attempts of one process in memory, on the test's clock: what a claim takes, a
/// result or a give-back returns. Leases do not expire here; PostgreSQL's part has its own tests.
class memory_queue : public claim_store, public result_store {
public:
  using time_point = caf::actor_clock::clock_type::time_point;

  explicit memory_queue(std::function<time_point()> now) : now_(std::move(now)) {}

  delivery_job& add(const std::string& channel) {
    delivery_job x;
    x.job_id = uuid::random();
    x.channel = channel;
    x.recipient = "user-" + std::to_string(queue.size()) + "@example.com";
    x.payload = "{}";
    queue.push_back({std::move(x), now_()});
    return queue.back().job;
  }

  void add(const std::string& channel, size_t count) {
    while (count-- > 0)
      add(channel);
  }

  caf::expected<std::vector<delivery_job>> claim(const std::string& channel, uint32_t limit,
                                                 caf::timespan) override {
    std::vector<delivery_job> result;
    ++last_lease;
    for (auto i = queue.begin(); i != queue.end() && result.size() < limit;) {
      if (i->job.channel != channel || i->due > now_() || paused.contains(channel)) {
        ++i;
        continue;
      }
      i->job.lease_id = last_lease;
      in_flight[i->job.job_id] = i->job;
      result.push_back(i->job);
      i = queue.erase(i);
    }
    for (auto& x : result)
      x.lease_size = static_cast<uint32_t>(result.size());
    return result;
  }

  caf::expected<std::vector<int64_t>> heartbeat(const std::vector<int64_t>& ids,
                                                caf::timespan) override {
    return ids;
  }

  caf::expected<uint64_t> release(const std::vector<attempt_ref>& jobs) override {
    uint64_t count = 0;
    for (const auto& x : jobs) {
      auto found = in_flight.extract(x.job_id);
      if (found.empty())
        continue;
      queue.push_back({std::move(found.mapped()), now_()});
      ++count;
    }
    released += count;
    return count;
  }

  caf::expected<caf::timespan> reserve_sends(const std::string& channel, uint32_t count,
                                             caf::timespan interval) override {
    auto& next = moments[channel];
    auto first = std::max(next, now_());
    next = first + interval * count;
    return caf::timespan{first - now_()};
  }

  caf::expected<bool> set_paused(const std::string& channel, bool is_paused,
                                 const std::string&) override {
    return is_paused ? paused.insert(channel).second : paused.erase(channel) > 0;
  }

  caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                          const std::vector<int64_t>&) override {
    std::vector<bool> applied;
    for (const auto& x : results)
      applied.push_back(record_one(x));
    return applied;
  }

  caf::expected<bool> record_late_success(const attempt_result& x) override {
    late.push_back(x);
    return true;
  }

  /// What the reaper does once every lease is over.
  void expire_leases() {
    for (auto& [id, job] : std::exchange(in_flight, {})) {
      ++job.attempt_no;
      ++job.reclaims;
      queue.push_back({job, now_()});
    }
  }

  /// How many jobs ended like this.
  size_t count(next_step end) const {
    return static_cast<size_t>(std::count_if(ended.begin(), ended.end(),
                                             [&](const auto& x) { return x.second.next == end; }));
  }

  struct waiting {
    delivery_job job;
    time_point due;
  };

  std::vector<waiting> queue;
  std::map<uuid, delivery_job> in_flight;
  std::map<uuid, attempt_result> ended;
  std::vector<attempt_result> attempts;
  std::vector<attempt_result> late;
  std::map<std::string, time_point> moments;
  std::set<std::string> paused;
  uint64_t released = 0;
  int64_t last_lease = 0;

private:
  bool record_one(const attempt_result& x) {
    auto found = in_flight.find(x.attempt.job_id);
    if (found == in_flight.end() || found->second.attempt_no != x.attempt.attempt_no)
      return false;
    auto job = std::move(found->second);
    in_flight.erase(found);
    attempts.push_back(x);
    if (x.next != next_step::retry) {
      ended.emplace(job.job_id, x);
      return true;
    }
    ++job.attempt_no;
    job.failures += x.counts_as_failure ? 1 : 0;
    job.reclaims += x.counts_as_reclaim ? 1 : 0;
    if (x.result == "unknown_outcome" && job.unknowns++ == 0)
      job.frozen_hash = x.content_hash;
    queue.push_back({std::move(job), now_() + x.delay});
    return true;
  }

  std::function<time_point()> now_;
};

} // namespace notify::test

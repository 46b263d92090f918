#pragma once

#include "messages/error.hpp"
#include "persistence/claim_store.hpp"
#include "persistence/janitor_store.hpp"
#include "persistence/reaper_store.hpp"
#include "persistence/result_store.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

// Scripted stores for tests on virtual time. They remember what they were asked and answer what
// the test wrote down; the real ones have tests of their own.

namespace notify::test {

inline caf::error outage() {
  return caf::make_error(ec::storage_unavailable, std::string{"switched off"});
}

/// Due jobs in memory; a claim takes from the front.
class fake_claim_store : public claim_store {
public:
  caf::expected<std::vector<delivery_job>> claim(const std::string& channel, uint32_t limit,
                                                 caf::timespan) override {
    ++claims;
    if (!available)
      return outage();
    limits.push_back(limit);
    std::vector<delivery_job> result;
    auto lease_id = ++last_lease;
    for (auto i = due.begin(); i != due.end() && result.size() < limit;) {
      if (i->channel != channel) {
        ++i;
        continue;
      }
      result.push_back(*i);
      i = due.erase(i);
    }
    for (auto& x : result) {
      x.lease_id = lease_id;
      x.lease_size = static_cast<uint32_t>(result.size());
    }
    if (!result.empty())
      alive.insert(lease_id);
    return result;
  }

  caf::expected<std::vector<int64_t>> heartbeat(const std::vector<int64_t>& ids,
                                                caf::timespan) override {
    ++heartbeats;
    if (!available)
      return outage();
    std::vector<int64_t> result;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(result),
                 [this](auto id) { return alive.contains(id); });
    return result;
  }

  caf::expected<uint64_t> release(const std::vector<attempt_ref>& unstarted) override {
    released.insert(released.end(), unstarted.begin(), unstarted.end());
    return unstarted.size();
  }

  caf::expected<caf::timespan> reserve_sends(const std::string&, uint32_t count,
                                             caf::timespan interval) override {
    if (!available)
      return outage();
    auto wait = next_moment;
    next_moment += interval * count;
    return wait;
  }

  caf::expected<bool> set_paused(const std::string& channel, bool is_paused,
                                 const std::string&) override {
    if (!available)
      return outage();
    return is_paused ? paused.insert(channel).second : paused.erase(channel) > 0;
  }

  void add_due(const std::string& channel, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      delivery_job x;
      x.job_id = uuid::random();
      x.channel = channel;
      due.push_back(std::move(x));
    }
  }

  bool available = true;
  std::deque<delivery_job> due;
  std::vector<uint32_t> limits;
  std::vector<attempt_ref> released;
  std::set<int64_t> alive;
  std::set<std::string> paused;
  caf::timespan next_moment{0}; ///< Distance to the next moment that nobody reserved.
  int64_t last_lease = 0;
  size_t claims = 0;
  size_t heartbeats = 0;
};

/// Remembers each attempt once, as the real fence does.
class fake_result_store : public result_store {
public:
  caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                          const std::vector<int64_t>& done) override {
    if (!available)
      return outage();
    if (refuses)
      for (const auto& x : results)
        if (refuses(x))
          return caf::make_error(ec::storage_data);
    batches.push_back(results.size());
    done_leases.insert(done_leases.end(), done.begin(), done.end());
    std::vector<bool> applied;
    for (const auto& x : results) {
      auto first = attempts.emplace(x.attempt.job_id, x.attempt.attempt_no).second;
      applied.push_back(first);
      if (first)
        recorded.push_back(x);
    }
    return applied;
  }

  caf::expected<bool> record_late_success(const attempt_result& x) override {
    if (!takes_late)
      return outage();
    late.push_back(x);
    return true;
  }

  bool available = true;
  bool takes_late = true;
  std::function<bool(const attempt_result&)> refuses;
  std::set<std::pair<uuid, int32_t>> attempts;
  std::vector<attempt_result> recorded;
  std::vector<attempt_result> late;
  std::vector<size_t> batches;
  std::vector<int64_t> done_leases;
};

class fake_reaper_store : public reaper_store {
public:
  caf::expected<reap_report> reap(uint32_t limit, int32_t) override {
    ++passes;
    if (!available)
      return outage();
    reap_report x;
    x.leases = std::min<uint64_t>(limit, expired);
    x.released = x.leases;
    expired -= x.leases;
    x.dead = std::exchange(worn_out, {});
    return x;
  }

  bool available = true;
  uint64_t expired = 0;
  std::map<std::string, uint64_t> worn_out; ///< Dies at the next pass, by channel.
  size_t passes = 0;
};

/// Rows of each kind that may go; a batch takes up to its limit of them.
class fake_janitor_store : public janitor_store {
public:
  struct call {
    retained kind;
    sweep_position after;
    uint32_t limit;
  };

  caf::expected<cleaned_batch> clean(retained kind, const sweep_position& after,
                                     uint32_t limit) override {
    calls.push_back({kind, after, limit});
    if (failure)
      return failure;
    cleaned_batch x;
    x.last = after;
    x.is_ours = !is_taken;
    if (is_taken)
      return x;
    x.looked_at = std::min<uint64_t>(limit, rows[kind]);
    x.deleted = x.looked_at;
    rows[kind] -= x.deleted;
    if (x.looked_at > 0)
      x.last.id = std::to_string(++last_id);
    return x;
  }

  caf::expected<uint64_t> backlog(retained kind, const sweep_position&, uint32_t look) override {
    ++counts;
    if (failure)
      return failure;
    return std::min<uint64_t>(look, rows[kind]);
  }

  std::map<retained, uint64_t> rows;
  caf::error failure;    ///< What every call answers; none: it works.
  bool is_taken = false; ///< Another process cleans.
  std::vector<call> calls;
  size_t counts = 0;
  uint64_t last_id = 0;
};

} // namespace notify::test

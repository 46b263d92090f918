#pragma once

#include "messages/error.hpp"
#include "persistence/ingest_store.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace notify::test {

/// Remembers what was stored, for several writers at once. Fails while it is switched off.
class recording_store : public ingest_store {
public:
  caf::expected<ingest_report> store(const ingest_batch& batch) override {
    if (!available)
      return caf::make_error(ec::storage_unavailable, std::string{"switched off"});
    std::lock_guard guard{mutex_};
    ingest_report report;
    for (const auto& x : batch.events)
      ++(events_.insert(x.event_id).second ? report.events : report.duplicates);
    for (const auto& x : batch.jobs)
      report.jobs += jobs_.insert(x.id).second ? 1 : 0;
    report.dead_letters = batch.dead_letters.size();
    for (const auto& x : batch.moves) {
      auto& next = next_[x.partition];
      gaps_ += x.first_offset > next ? 1 : 0;
      next = std::max(next, x.next_offset);
    }
    return report;
  }

  size_t events() const {
    std::lock_guard guard{mutex_};
    return events_.size();
  }

  size_t jobs() const {
    std::lock_guard guard{mutex_};
    return jobs_.size();
  }

  /// Batches that began behind the end of what was stored: something was skipped.
  int gaps() const {
    std::lock_guard guard{mutex_};
    return gaps_;
  }

  /// First offset of each partition that is not stored.
  std::map<int32_t, int64_t> next() const {
    std::lock_guard guard{mutex_};
    return next_;
  }

  std::atomic<bool> available = true;

private:
  mutable std::mutex mutex_;
  std::set<uuid> events_;
  std::set<uuid> jobs_;
  std::map<int32_t, int64_t> next_;
  int gaps_ = 0;
};

} // namespace notify::test

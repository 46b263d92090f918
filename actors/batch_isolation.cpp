#include "actors/batch_isolation.hpp"

#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"

#include <algorithm>
#include <unordered_set>

namespace notify {

namespace {

/// Of one batch that met a deadlock, one after another: the next try is far more likely to pass.
constexpr int conflict_tries = 3;

void add(ingest_report& sum, const ingest_report& x) {
  sum.events += x.events;
  sum.duplicates += x.duplicates;
  sum.jobs += x.jobs;
  sum.dead_letters += x.dead_letters;
}

class isolation {
public:
  isolation(ingest_store& storage, const ingest_batch& batch, uint32_t tries)
      : storage_(storage), batch_(batch), tries_(tries) {}

  /// Stores the events of [first, last), which together were refused.
  caf::error split(size_t first, size_t last, const caf::error& reason) {
    if (last - first == 1)
      return condemn(first, reason);
    auto middle = first + (last - first) / 2;
    if (auto err = visit(first, middle))
      return err;
    return visit(middle, last);
  }

  /// An event that stays refused, by its place in the batch.
  struct culprit {
    size_t index = 0;
    caf::error reason;
  };

  ingest_report sum;
  std::vector<culprit> culprits;

private:
  caf::error visit(size_t first, size_t last) {
    auto report = store_with_retries(storage_, part(first, last));
    if (report) {
      add(sum, *report);
      return caf::none;
    }
    if (report.error() != ec::storage_data)
      return report.error();
    return split(first, last, report.error());
  }

  /// It was refused once when it came here.
  caf::error condemn(size_t index, caf::error reason) {
    for (uint32_t i = 1; i < tries_; ++i) {
      auto report = store_with_retries(storage_, part(index, index + 1));
      if (report) {
        add(sum, *report);
        return caf::none;
      }
      reason = report.error();
      if (reason != ec::storage_data)
        return reason;
    }
    culprits.push_back({index, std::move(reason)});
    return caf::none;
  }

  ingest_batch part(size_t first, size_t last) const {
    ingest_batch result;
    std::unordered_set<uuid> ids;
    for (auto i = first; i < last; ++i) {
      ids.insert(batch_.events[i].event_id);
      result.events.push_back(batch_.events[i]);
    }
    std::copy_if(batch_.jobs.begin(), batch_.jobs.end(), std::back_inserter(result.jobs),
                 [&](const new_job& x) { return ids.contains(x.event_id); });
    return result;
  }

  ingest_store& storage_;
  const ingest_batch& batch_;
  uint32_t tries_;
};

void refuse(ingest_plan& plan, const isolation::culprit& found,
            std::span<const kafka_record> records) {
  const auto& x = plan.batch.events[found.index];
  auto letter =
      make_refused_letter(records, x, refusal_reason::storage_refused, render(found.reason));
  plan.refused.push_back({x.topic, x.partition, x.offset, letter.reason, letter.detail,
                          to_string(x.event_id), x.correlation_id});
  plan.batch.dead_letters.push_back(std::move(letter));
}

} // namespace

caf::expected<ingest_report> store_with_retries(ingest_store& storage, const ingest_batch& batch) {
  auto result = storage.store(batch);
  for (int i = 1; i < conflict_tries && !result && result.error() == ec::storage_conflict; ++i)
    result = storage.store(batch);
  return result;
}

caf::expected<ingest_report> store_isolated(ingest_store& storage, ingest_plan& plan,
                                            std::span<const kafka_record> records, uint32_t tries,
                                            const caf::error& reason) {
  isolation search{storage, plan.batch, tries};
  if (auto err = search.split(0, plan.batch.events.size(), reason))
    return err;
  for (const auto& x : search.culprits)
    refuse(plan, x, records);
  ingest_batch rest;
  rest.dead_letters = plan.batch.dead_letters;
  rest.moves = plan.batch.moves;
  rest.finished = plan.batch.finished;
  rest.repeated = plan.batch.repeated;
  rest.earlier = search.sum;
  auto report = store_with_retries(storage, rest);
  if (!report)
    return report.error();
  add(search.sum, *report);
  return search.sum;
}

} // namespace notify

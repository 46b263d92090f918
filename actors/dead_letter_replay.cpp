#include "actors/dead_letter_replay.hpp"

#include "actors/batch_isolation.hpp"
#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"

#include <algorithm>
#include <unordered_set>

namespace notify {

/// What one letter is by today's rules: a fate, and the event and jobs if it is valid.
struct dead_letter_replay::verdict {
  replayed_letter fate;
  std::vector<event> events;
  std::vector<new_job> jobs;
};

caf::expected<replay_report> dead_letter_replay::run(const replay_request& request,
                                                     const progress& after_batch) {
  sum_ = {};
  dry_run_ = request.dry_run;
  after_batch_ = after_batch;
  auto err = request.ids.empty() ? run_filter(request) : run_ids(request);
  if (err)
    return err;
  return sum_;
}

caf::error dead_letter_replay::run_ids(const replay_request& request) {
  auto ids = request.ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (size_t first = 0; first < ids.size(); first += batch_.letters) {
    auto last = std::min(ids.size(), first + batch_.letters);
    std::vector<int64_t> some(ids.begin() + static_cast<std::ptrdiff_t>(first),
                              ids.begin() + static_cast<std::ptrdiff_t>(last));
    auto page = letters_.find(some);
    if (!page)
      return page.error();
    sum_.missing += some.size() - page->size();
    sum_.settled += std::erase_if(*page, [](const auto& x) { return x.replayed_us.has_value(); });
    if (auto err = try_page(*page))
      return err;
  }
  return caf::none;
}

caf::error dead_letter_replay::run_filter(const replay_request& request) {
  auto end = letters_.last_id();
  if (!end)
    return end.error();
  auto filter = request.filter;
  filter.replayed = false;
  auto left = request.limit == 0 ? std::numeric_limits<uint64_t>::max() : request.limit;
  letter_page next;
  next.before_id = *end + 1;
  while (left > 0) {
    next.limit = static_cast<uint32_t>(std::min<uint64_t>(left, batch_.letters));
    auto page = letters_.list(filter, next);
    if (!page)
      return page.error();
    if (page->empty())
      break;
    next.after_id = page->back().id;
    left -= page->size();
    if (auto err = try_page(*page))
      return err;
  }
  return caf::none;
}

caf::error dead_letter_replay::try_page(const std::vector<letter_info>& page) {
  std::vector<int64_t> ids;
  size_t bytes = 0;
  for (const auto& x : page) {
    auto size = static_cast<size_t>(x.key_bytes.value_or(0) + x.value_bytes.value_or(0));
    if (!ids.empty() && bytes + size > batch_.bytes) {
      if (auto err = try_letters(ids))
        return err;
      ids.clear();
      bytes = 0;
    }
    ids.push_back(x.id);
    bytes += size;
  }
  return ids.empty() ? caf::error{} : try_letters(ids);
}

caf::error dead_letter_replay::try_letters(const std::vector<int64_t>& ids) {
  auto letters = letters_.load(ids);
  if (!letters)
    return letters.error();
  std::vector<verdict> verdicts;
  verdicts.reserve(letters->size());
  for (const auto& x : *letters)
    verdicts.push_back(judge(x));
  sum_.missing += ids.size() - letters->size();
  if (!verdicts.empty())
    if (auto err = store(verdicts, 0, verdicts.size()))
      return err;
  if (after_batch_)
    after_batch_(sum_);
  return caf::none;
}

dead_letter_replay::verdict dead_letter_replay::judge(const stored_letter& letter) const {
  auto table = rules_.routes.current();
  auto plan = plan_batch(std::span{&letter.record, 1}, *table, rules_.limits);
  verdict x;
  x.fate.id = letter.info.id;
  if (plan.batch.dead_letters.empty()) {
    x.fate.accepted = true;
    x.fate.event_id = plan.batch.events.front().event_id;
    x.events = std::move(plan.batch.events);
    x.jobs = std::move(plan.batch.jobs);
    return x;
  }
  auto& refusal = plan.batch.dead_letters.front();
  x.fate.reason = std::move(refusal.reason);
  x.fate.detail = std::move(refusal.detail);
  x.fate.event_id = refusal.event_id;
  return x;
}

caf::error dead_letter_replay::store(const std::vector<verdict>& verdicts, size_t first,
                                     size_t last) {
  ingest_batch batch;
  std::unordered_set<uuid> seen;
  for (auto i = first; i < last; ++i) {
    const auto& x = verdicts[i];
    batch.replayed.push_back(x.fate);
    // Letters of one event: the first one brings it, the others are its duplicates.
    if (!x.fate.accepted || !seen.insert(*x.fate.event_id).second)
      continue;
    batch.events.insert(batch.events.end(), x.events.begin(), x.events.end());
    batch.jobs.insert(batch.jobs.end(), x.jobs.begin(), x.jobs.end());
  }
  if (dry_run_) {
    ingest_report guess;
    guess.jobs = batch.jobs.size();
    guess.replayed.stored = batch.events.size();
    count(verdicts, first, last, guess);
    return caf::none;
  }
  auto report = store_with_retries(inbox_, batch);
  if (report) {
    count(verdicts, first, last, *report);
    return caf::none;
  }
  if (report.error() != ec::storage_data)
    return report.error();
  if (last - first == 1)
    return refused_by_storage(verdicts[first], report.error());
  auto middle = first + (last - first) / 2;
  if (auto err = store(verdicts, first, middle))
    return err;
  return store(verdicts, middle, last);
}

caf::error dead_letter_replay::refused_by_storage(const verdict& x, const caf::error& reason) {
  verdict refused;
  refused.fate = {x.fate.id, false, "storage_refused", render(reason), x.fate.event_id};
  ingest_batch batch;
  batch.replayed = {refused.fate};
  auto report = store_with_retries(inbox_, batch);
  if (!report)
    return report.error();
  count({refused}, 0, 1, *report);
  return caf::none;
}

void dead_letter_replay::count(const std::vector<verdict>& verdicts, size_t first, size_t last,
                               const ingest_report& report) {
  auto tried = last - first;
  uint64_t refused = 0;
  for (auto i = first; i < last; ++i) {
    const auto& fate = verdicts[i].fate;
    if (fate.accepted)
      continue;
    ++refused;
    ++sum_.reasons[fate.reason];
  }
  auto counts = report.replayed;
  if (dry_run_) {
    counts.refused = refused;
    counts.duplicates = tried - refused - counts.stored;
  }
  sum_.tried += tried;
  sum_.stored += counts.stored;
  sum_.duplicates += counts.duplicates;
  sum_.refused += counts.refused;
  sum_.settled += tried - (counts.stored + counts.duplicates + counts.refused);
  sum_.jobs += report.jobs;
}

} // namespace notify

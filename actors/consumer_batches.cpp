#include "actors/consumer.hpp"

#include "actors/batch_trace.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <set>
#include <utility>

// How records become batches, and how durable batches become offsets.

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr caf::timespan first_retry = 100ms;

/// With the jitter on top a database that is back is noticed within 1.25 s.
constexpr caf::timespan longest_retry = 1s;

/// How long a full buffer may keep us from polling. Far below every time limit of the group.
constexpr caf::timespan patience = 500ms;

/// Share that is added to a delay at most.
constexpr double jitter = 0.25;

/// Nothing changes for a halted batch until somebody repairs something.
constexpr caf::timespan longest_halt_retry = 1min;

/// The database is away or not fit for us, or what we read is not: nothing more should be taken.
bool is_outage(const caf::error& reason) {
  return reason == ec::storage_unavailable || reason == ec::storage_schema
         || reason == ec::ingest_halted;
}

} // namespace

bool consumer_state::any_in_flight() const {
  return std::any_of(batches.begin(), batches.end(),
                     [](const auto& x) { return x.second.in_flight(); });
}

bool consumer_state::any_halted() const {
  return std::any_of(batches.begin(), batches.end(), [](const auto& x) { return x.second.halted; });
}

size_t consumer_state::held_records() const {
  auto result = buffer.records();
  for (const auto& [id, batch] : batches)
    result += batch.records.size();
  return result;
}

size_t consumer_state::held_bytes() const {
  auto result = buffer.bytes();
  for (const auto& [id, batch] : batches)
    result += batch.bytes;
  return result;
}

inbox_writer_actor consumer_state::free_writer() {
  auto all = writers();
  for (size_t i = 0; i < all.size(); ++i) {
    auto& candidate = all[(writer_turn + i) % all.size()];
    auto taken =
        candidate == nullptr || std::any_of(batches.begin(), batches.end(), [&](const auto& x) {
          return x.second.writer == candidate.address();
        });
    if (taken)
      continue;
    writer_turn += i + 1;
    return candidate;
  }
  return inbox_writer_actor{};
}

void consumer_state::dispatch() {
  if (step != phase::running || revoking || !storage_up)
    return;
  while (buffer.records() > 0) {
    std::set<kafka::topic_partition> busy;
    for (const auto& [id, batch] : batches)
      for (const auto& x : batch.slices)
        busy.insert(x.where);
    auto writer = free_writer();
    if (writer == nullptr)
      return;
    open_batch batch;
    batch.records =
        buffer.take(config.batch_records, [&](const auto& where) { return busy.contains(where); });
    if (batch.records.empty())
      return;
    for (const auto& x : batch.records) {
      batch.bytes += footprint(x);
      kafka::topic_partition where{x.topic, x.partition};
      if (batch.slices.empty() || batch.slices.back().where != where)
        batch.slices.push_back({where, source->epoch(where), 0});
      batch.slices.back().next_offset = x.offset + 1;
    }
    auto id = ++last_batch;
    batch.tracing = begin_consume(trace, id, batch.records);
    batches.emplace(id, std::move(batch));
    hand_over(id, writer);
  }
}

void consumer_state::hand_over(uint64_t id, const inbox_writer_actor& writer) {
  auto& batch = batches[id];
  batch.writer = writer.address();
  // A copy: ours is needed again if the writer fails.
  self->request(writer, config.store_timeout, store_batch{id, batch.records})
      .then([self = self, id](const batch_stored& x) { self->state.on_stored(id, x); },
            [self = self, id](const caf::error& x) { self->state.on_failed(id, x); });
}

void consumer_state::on_stored(uint64_t id, const batch_stored& report) {
  auto i = batches.find(id);
  if (i == batches.end())
    return;
  auto batch = std::move(i->second);
  batches.erase(i);
  ++count.batches;
  count.events += static_cast<int64_t>(report.events);
  count.jobs += static_cast<int64_t>(report.jobs);
  count.duplicates += static_cast<int64_t>(report.duplicates);
  count.dead_letters += static_cast<int64_t>(report.dead_letters);
  store_offsets(batch);
  success.succeeded(now());
  if (batch.tracing) {
    batch.tracing->attributes["failures"] = std::to_string(batch.failures);
    trace.end(std::move(*batch.tracing));
  }
  // What another partition stored meanwhile does not end a halt.
  auto was_up = std::exchange(storage_up, !any_halted());
  if (storage_up && !was_up)
    log::info(name, "storage is back");
  if (storage_up && (!was_up || batch.failures > 0))
    last_error.clear();
  if (step == phase::probing) {
    join();
    return;
  }
  dispatch();
  update_gate();
}

void consumer_state::store_offsets(const open_batch& batch) {
  for (const auto& x : batch.slices) {
    switch (source->store_offset(x.where, x.epoch, x.next_offset)) {
    case kafka::store_verdict::stored:
      dirty = true;
      break;
    case kafka::store_verdict::stale:
      ++count.stale_results;
      break;
    case kafka::store_verdict::failed:
      ++count.commit_errors;
      break;
    case kafka::store_verdict::behind:
      break;
    }
  }
}

void consumer_state::on_failed(uint64_t id, const caf::error& reason) {
  auto i = batches.find(id);
  if (i == batches.end())
    return;
  auto& batch = i->second;
  batch.writer = nullptr;
  ++batch.failures;
  batch.halted = reason == ec::ingest_halted;
  ++count.store_errors;
  config.metrics->ingest.failures.Increment();
  last_error = render(reason);
  log::repeated(log::level::warning, name, "batch not stored, it stays in front",
                {{"batch", id},
                 {"records", batch.records.size()},
                 {"failures", batch.failures},
                 {"error", last_error}});
  if (step > phase::running) {
    batches.erase(i);
    return;
  }
  if (is_outage(reason))
    storage_up = false;
  update_gate();
  retry_later(id, batch);
}

void consumer_state::retry_later(uint64_t id, const open_batch& batch) {
  auto doublings = std::min<uint32_t>(batch.failures, 10);
  auto longest = batch.halted ? longest_halt_retry : longest_retry;
  auto delay = std::min(first_retry * (1 << doublings) / 2, longest);
  auto extra = std::chrono::duration_cast<caf::timespan>(delay * jitter * random_unit());
  self->delayed_send(self, delay + extra, retry_batch{id});
}

void consumer_state::retry(uint64_t id) {
  auto i = batches.find(id);
  if (i == batches.end() || i->second.in_flight())
    return;
  auto& batch = i->second;
  strip_stale(batch);
  // Even without records it goes out: its success is what opens the gate again.
  if (batch.records.empty() && storage_up && step == phase::running) {
    batches.erase(i);
    return;
  }
  auto writer = free_writer();
  if (writer == nullptr) {
    retry_later(id, batch);
    return;
  }
  hand_over(id, writer);
}

void consumer_state::strip_stale(open_batch& batch) const {
  auto stale = [&](const kafka::topic_partition& where) {
    return std::none_of(batch.slices.begin(), batch.slices.end(), [&](const auto& x) {
      return x.where == where && source->epoch(where) == x.epoch;
    });
  };
  std::erase_if(batch.records, [&](const auto& x) { return stale({x.topic, x.partition}); });
  std::erase_if(batch.slices, [&](const auto& x) { return source->epoch(x.where) != x.epoch; });
  batch.bytes = 0;
  for (const auto& x : batch.records)
    batch.bytes += footprint(x);
}

void consumer_state::update_full() {
  auto records = held_records();
  auto bytes = held_bytes();
  if (records >= config.buffer_records || bytes >= config.buffer_bytes) {
    if (!full)
      full_since = now();
    full = true;
  } else if (records <= config.buffer_records / 2 && bytes <= config.buffer_bytes / 2) {
    full = false;
  }
}

void consumer_state::update_gate() {
  update_full();
  auto stands_still = full && now() - full_since >= patience;
  auto open = storage_up && !stands_still && step <= phase::running;
  if (open == gate_open)
    return;
  gate_open = open;
  source->set_gate(open);
  if (open)
    hear_from_all(); // Nobody could bring anything meanwhile.
  if (!storage_up)
    log::repeated(log::level::warning, name, "fetching paused", {{"error", last_error}});
}

} // namespace notify

#include "actors/consumer.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"

// What the consumer makes of the events of its source.

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Distance between commits that lack a right.
constexpr caf::timespan denied_pause = 30s;

/// Records are waiting, the gate is open, and still nothing comes: an alarm after this time.
constexpr caf::timespan silence_limit = 60s;

} // namespace

bool consumer_state::fetch() {
  if (full && gate_open && step == phase::running && !revoking)
    return false;
  watch_polls();
  auto timeout = poll_timeout();
  for (size_t n = 0; n < config.batch_records; ++n) {
    auto event = source->poll(timeout);
    if (std::holds_alternative<std::monostate>(event))
      break;
    std::visit([this](auto& x) { take(x); }, event);
    timeout = caf::timespan{0};
  }
  return true;
}

// The client's own timer sees only what is late already, and in librdkafka 2.0.2 not even all of
// that: this is the warning before.
void consumer_state::watch_polls() {
  auto at = now();
  auto gap = at - last_poll;
  auto first = last_poll == time_point{};
  last_poll = at;
  success.succeeded(at);
  if (first || gap < config.max_poll_interval / 2)
    return;
  ++count.late_polls;
  log::error(name, "the poll loop stood still",
             {{"ms", std::chrono::duration_cast<std::chrono::milliseconds>(gap).count()}});
}

void consumer_state::take(kafka_record& x) {
  if (step != phase::running || revoking)
    return;
  ++count.records;
  config.metrics->kafka.records.Increment();
  kafka::topic_partition where{x.topic, x.partition};
  heard[where] = now();
  silent.erase(where);
  ends.erase(where);
  stalled.erase(where);
  buffer.push(std::move(x));
}

void consumer_state::take(kafka::partitions_assigned& x) {
  ++count.rebalances;
  config.metrics->kafka.rebalances.Increment();
  is_member = true;
  assigned = x.partitions.size();
  heard.clear();
  for (const auto& where : x.partitions)
    heard[where] = now();
  silent.clear();
  stalled.clear();
  log::info(name, "partitions assigned", {{"partitions", assigned}});
}

void consumer_state::take(kafka::partitions_revoking& x) {
  log::info(name, "partitions revoked", {{"partitions", x.partitions.size()}, {"lost", x.lost}});
  for (const auto& where : x.partitions)
    buffer.drop(where);
  revoking = true;
  revoke_lost = x.lost;
  revoke_deadline = now() + config.drain_timeout;
  finish_revoke_if_due();
}

void consumer_state::finish_revoke_if_due() {
  if (!revoking)
    return;
  auto waiting = any_in_flight() || commit_in_flight;
  if (!revoke_lost && waiting && now() < revoke_deadline)
    return;
  // The commit travels before our answer to the group, so nobody has to wait for its result.
  if (!revoke_lost && dirty && !commit_in_flight)
    start_commit();
  source->finish_revoke();
  // Batches that wait for another try must not stand in the way of a later assignment.
  for (auto& [id, batch] : batches)
    if (!batch.in_flight())
      strip_stale(batch);
  revoking = false;
  is_member = false;
  dirty = false;
  assigned = 0;
  ends.clear();
  lag.clear();
  heard.clear();
  silent.clear();
  stalled.clear();
  show_lag();
}

void consumer_state::take(kafka::partition_end& x) {
  ends[x.where] = x.next_offset;
}

void consumer_state::take(kafka::partition_stalled& x) {
  stalled[x.where] = std::move(x.reason);
}

void consumer_state::take(kafka::source_trouble& x) {
  last_error = std::move(x.reason);
}

void consumer_state::take(kafka::source_failed& x) {
  failed = true;
  last_error = render(x.reason);
  stop(x.reason);
}

void consumer_state::take(kafka::lag_measured& x) {
  lag = std::move(x.records);
  show_lag();
  if (!gate_open)
    return;
  // Each for itself: one that is stuck must not hide behind others that flow.
  for (const auto& [where, records] : lag) {
    auto i = heard.find(where);
    if (records == 0 || i == heard.end() || stalled.contains(where)
        || now() - i->second < silence_limit || !silent.insert(where).second)
      continue;
    log::error(name, "records are waiting but none arrives",
               {{"topic", where.topic}, {"partition", where.partition}, {"lag", records}});
  }
}

void consumer_state::hear_from_all() {
  for (auto& [where, at] : heard)
    at = now();
}

// -- commits -------------------------------------------------------------------------------------

void consumer_state::commit_if_due() {
  if (dirty && !commit_in_flight && !revoking && now() >= next_commit)
    start_commit();
}

void consumer_state::start_commit() {
  if (!source->commit())
    return;
  dirty = false;
  commit_in_flight = true;
  next_commit = now() + config.commit_interval;
}

void consumer_state::take(kafka::commit_finished& x) {
  commit_in_flight = false;
  switch (x.verdict) {
  case kafka::commit_verdict::committed:
    ++count.commits;
    config.metrics->kafka.commits.Increment();
    return;
  case kafka::commit_verdict::nothing:
    return;
  case kafka::commit_verdict::lost:
    break;
  case kafka::commit_verdict::retry:
    dirty = true;
    break;
  case kafka::commit_verdict::denied:
    dirty = true;
    next_commit = now() + denied_pause;
    break;
  }
  ++count.commit_errors;
  config.metrics->kafka.commit_errors.Increment();
  last_error = "commit: " + x.reason;
  log::repeated(log::level::warning, name, "offsets not committed", {{"reason", x.reason}});
}

} // namespace notify

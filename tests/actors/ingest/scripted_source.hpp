#pragma once

#include "actors/kafka/partition_tracker.hpp"
#include "actors/kafka/record_source.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace notify::test {

/// What a source is to bring, and what was asked of it.
struct source_script {
  std::deque<kafka::source_event> events;
  std::map<kafka::topic_partition, int64_t> stored;
  std::set<kafka::topic_partition> paused;
  std::vector<std::string> faults; ///< Calls that no caller may make.
  std::vector<caf::timespan> timeouts;
  kafka::partition_tracker tracker;
  kafka::commit_verdict verdict = kafka::commit_verdict::committed;
  bool answer_commits = true;
  bool answer_close = true;
  bool joined = false;
  bool closing = false;
  bool closed = false;
  bool commit_in_flight = false;
  int commits = 0;
  int revokes_finished = 0;
  int empty_polls = 0;

  /// Queues `count` records of a partition from `offset` on.
  void bring(const kafka::topic_partition& where, int64_t offset, int count,
             const std::string& value = "x") {
    for (int i = 0; i < count; ++i) {
      kafka_record x;
      x.topic = where.topic;
      x.partition = where.partition;
      x.offset = offset + i;
      x.value = {true, value};
      events.emplace_back(std::move(x));
    }
  }

  void assign(std::vector<kafka::topic_partition> xs) {
    events.emplace_back(kafka::partitions_assigned{std::move(xs)});
  }

  void revoke(bool lost = false) { events.emplace_back(kafka::partitions_revoking{{}, lost}); }
};

/// A source without Kafka. Changes its assignment when the event about it is read, as callbacks of
/// the real client do.
class scripted_source : public kafka::record_source {
public:
  explicit scripted_source(std::shared_ptr<source_script> script) : script_(std::move(script)) {}

  caf::error join() override {
    script_->joined = true;
    return caf::none;
  }

  kafka::source_event poll(caf::timespan timeout) override {
    auto& s = *script_;
    s.timeouts.push_back(timeout);
    while (!s.events.empty() && !waits_for_unassign()) {
      auto event = std::move(s.events.front());
      s.events.pop_front();
      if (apply(event))
        return event;
    }
    ++s.empty_polls;
    return {};
  }

  void set_gate(bool open) override {
    auto& tracker = script_->tracker;
    if (open)
      resume(tracker.open_gate());
    else
      pause(tracker.close_gate());
  }

  uint64_t epoch(const kafka::topic_partition& where) const override {
    return script_->tracker.epoch(where);
  }

  kafka::store_verdict store_offset(const kafka::topic_partition& where, uint64_t epoch,
                                    int64_t next_offset) override {
    auto verdict = script_->tracker.advance(where, epoch, next_offset);
    if (verdict == kafka::store_verdict::stored)
      script_->stored[where] = next_offset;
    return verdict;
  }

  bool commit() override {
    auto& s = *script_;
    if (s.commit_in_flight)
      return false;
    ++s.commits;
    s.commit_in_flight = true;
    if (s.answer_commits)
      s.events.emplace_front(kafka::commit_finished{s.verdict, "scripted"});
    return true;
  }

  void finish_revoke() override {
    if (!script_->tracker.revoking())
      return;
    ++script_->revokes_finished;
    resume(script_->tracker.finish_revoke());
  }

  void begin_close() override {
    script_->closing = true;
    script_->closed = script_->answer_close;
  }

  bool closed() const override { return script_->closed; }

private:
  /// The client tells nothing new about the group before its last question was answered.
  bool waits_for_unassign() const {
    return script_->tracker.revoking()
           && std::holds_alternative<kafka::partitions_assigned>(script_->events.front());
  }

  /// False if the event does not reach the caller.
  bool apply(kafka::source_event& event) {
    auto& s = *script_;
    if (auto* assigned = std::get_if<kafka::partitions_assigned>(&event)) {
      pause(s.tracker.assign(assigned->partitions));
    } else if (auto* revoking = std::get_if<kafka::partitions_revoking>(&event)) {
      s.tracker.begin_revoke(revoking->lost);
      revoking->partitions = s.tracker.assigned();
    } else if (auto* record = std::get_if<kafka_record>(&event)) {
      return s.tracker.accepts({record->topic, record->partition});
    } else if (std::holds_alternative<kafka::commit_finished>(event)) {
      s.commit_in_flight = false;
    }
    return true;
  }

  void pause(const kafka::partition_tracker::partitions& xs) {
    for (const auto& x : xs)
      if (!script_->paused.insert(x).second)
        script_->faults.push_back("paused twice: " + to_string(x));
  }

  void resume(const kafka::partition_tracker::partitions& xs) {
    for (const auto& x : xs)
      if (script_->paused.erase(x) == 0)
        script_->faults.push_back("resumed without a pause: " + to_string(x));
  }

  std::shared_ptr<source_script> script_;
};

} // namespace notify::test

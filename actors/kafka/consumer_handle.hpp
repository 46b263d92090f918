#pragma once

#include "actors/kafka/consumer_config.hpp"
#include "actors/kafka/first_start.hpp"
#include "actors/kafka/handles.hpp"
#include "actors/kafka/partition_tracker.hpp"
#include "actors/kafka/record_source.hpp"

#include <caf/expected.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace notify::kafka {

/// A group member of librdkafka 2.0.2. Belongs to the thread that polls it, which also runs every
/// callback.
///
/// What it takes care of, so that nobody else has to: one message per poll (the batch call loses
/// messages next to a pause), commits without a list and without waiting (a list is committed
/// even for partitions of others; waiting can hang for minutes), pausing and resuming in turn,
/// and an end that never waits for a broker.
class consumer_handle final : public record_source {
public:
  /// Makes the client; it joins the group only with `join`. `ec::invalid_config` names the option.
  static caf::expected<std::unique_ptr<consumer_handle>> create(const consumer_config& config);

  /// Leaves the group if nobody did so before. Waits a few seconds at most: a client that does not
  /// end by then is left to the process's own end.
  ~consumer_handle() override;

  consumer_handle(const consumer_handle&) = delete;
  consumer_handle& operator=(const consumer_handle&) = delete;

  caf::error join() override;
  source_event poll(caf::timespan timeout) override;
  void set_gate(bool open) override;
  uint64_t epoch(const topic_partition& where) const override;
  store_verdict store_offset(const topic_partition& where, uint64_t epoch,
                             int64_t next_offset) override;
  bool commit() override;
  void finish_revoke() override;
  void begin_close() override;
  bool closed() const override;

private:
  explicit consumer_handle(const consumer_config& config);

  static void on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t code,
                           rd_kafka_topic_partition_list_t* partitions, void* self);
  static void on_error(rd_kafka_t* client, int code, const char* reason, void* self);
  static int on_statistics(rd_kafka_t* client, char* json, size_t size, void* self);

  caf::error open(conf_ptr conf);
  void take_assignment(rd_kafka_topic_partition_list_t* partitions);
  void begin_revoke(bool lost);
  void release_assignment();
  void pause(const partition_tracker::partitions& xs);
  void resume(const partition_tracker::partitions& xs);
  void wait_for_event(caf::timespan timeout);
  void take_error(const rd_kafka_message_t& message);
  void take_missing_offset(const rd_kafka_message_t& message, topic_partition where);
  void stall(topic_partition where, std::string reason);
  void serve_commit();
  void finish_commit(rd_kafka_resp_err_t code);
  bool check_fatal(rd_kafka_resp_err_t code);
  void leave_bounded();
  void close_if_left();

  rd_kafka_t* client_ = nullptr;
  queue_ptr commits_;
  queue_ptr records_;
  std::vector<std::string> topics_;
  first_start first_start_;
  partition_tracker tracker_;
  std::deque<source_event> pending_;
  bool commit_in_flight_ = false;
  bool joined_ = false;
  bool leaves_ = true;      ///< Its place is given up at the end.
  bool place_lost_ = false; ///< Since the last assignment.
  bool closing_ = false;
  bool close_begun_ = false;
  bool close_refused_ = false;
};

} // namespace notify::kafka

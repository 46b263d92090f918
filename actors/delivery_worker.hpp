#pragma once

#include "actors/delivery_trace.hpp"
#include "actors/directory.hpp"
#include "actors/live_value.hpp"
#include "actors/metrics.hpp"
#include "actors/rendering.hpp"
#include "actors/retry_policy.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace notify {

struct delivery_worker_config {
  std::string channel;
  caf::timespan deadline = std::chrono::seconds{30}; ///< For the provider's answer.
  caf::timespan check_interval = std::chrono::seconds{1};
  caf::timespan resend_after = std::chrono::seconds{5}; ///< For an answer of the result writer.
  size_t result_writers = 1;
  retry_policy retry;
  caf::timespan key_lifetime{0}; ///< How long the provider knows an idempotency key; 0: never.
  metrics_ptr metrics = private_metrics();
  tracer trace = {};
};

struct delivery_worker_state {
  using clock_type = caf::actor_clock::clock_type;

  enum class phase : uint8_t {
    idle,
    sending,
    recording,
    returning, ///< The job was not sent, and no dispatcher is there to take it back.
  };

  static constexpr const char* name = "delivery-worker";

  explicit delivery_worker_state(
      delivery_worker_actor::stateful_pointer<delivery_worker_state> selfptr)
      : self(selfptr) {}

  /// Offers this slot, or its unfinished job, to the dispatcher of the moment.
  void announce();
  void on_dispatcher_down(const caf::down_msg& x);

  void on_deliver(deliver x);
  void on_sent(const send_finished& x);
  void on_recorded(const result_recorded& x);

  /// The pool is smaller now: ends as soon as it has no job and the dispatcher knows.
  void on_retire();
  void leave();

  /// Looks for what was lost with a crashed neighbour; armed only while there is something to lose.
  void on_tick(const worker_tick& x);
  void arm_tick();

  /// Why the job must not be sent at all, if so: the outcome to record instead.
  std::optional<outcome> refusal() const;

  /// The same for what it was rendered to.
  std::optional<outcome> content_refusal() const;
  void send();
  void check_send();
  void finish(outcome answer);
  void give_back();
  job_history history() const;
  void record();
  void log_result() const;
  void measure() const;
  actor_status status() const;

  delivery_worker_actor::stateful_pointer<delivery_worker_state> self;
  delivery_worker_config config;
  channel_metrics* metrics = nullptr; ///< Of its channel.
  live_value<template_set> templates;
  directory_ptr dir;
  job_dispatcher_actor dispatcher; ///< Monitored; null until one was found.
  provider_client_actor provider;  ///< The one that has our request.
  result_writer_actor writer;      ///< The one that has our result.
  phase now_doing = phase::idle;
  delivery_job job;
  rendered_message content;
  attempt_result result;
  clock_type::time_point started;
  clock_type::time_point told_writer;
  uint64_t tick_generation = 0;
  bool tick_armed = false;
  bool retiring = false;
  delivery_trace trace;
  uint64_t delivered = 0;
  uint64_t failed = 0;
  uint64_t returned = 0;
  std::string last_error;
};

/// Runs on the scheduler: everything that blocks is behind messages.
delivery_worker_actor::behavior_type
delivery_worker(delivery_worker_actor::stateful_pointer<delivery_worker_state> self,
                const delivery_worker_config& config, const live_value<template_set>& templates,
                const directory_ptr& dir);

} // namespace notify

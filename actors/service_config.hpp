#pragma once

#include "actors/circuit_breaker.hpp"
#include "actors/dead_letter_config.hpp"
#include "actors/envelope.hpp"
#include "actors/ingest_breaker.hpp"
#include "actors/kafka/consumer_config.hpp"
#include "actors/providers/outbound_http_config.hpp"
#include "actors/providers/resend_config.hpp"
#include "actors/providers/smtp_config.hpp"
#include "actors/providers/telegram_config.hpp"
#include "actors/providers/webhook_config.hpp"
#include "actors/retry_policy.hpp"
#include "actors/tracing_config.hpp"
#include "persistence/postgres_config.hpp"
#include "persistence/retention_times.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The settings of every part, as plain data. Whoever reads files and command lines fills this;
// nothing here knows where a value came from. Defaults are what docs/configuration.md says.

namespace notify {

/// Which parts of the service this process runs.
struct role_config {
  bool ingest = true;
  bool deliver = true;
  bool http = true;
};

struct ingest_config {
  size_t writers = 2;
  envelope_limits limits;
  uint32_t crash_tries = 3; ///< Deaths over one record before it is dead-lettered.
  ingest_breaker_policy breaker;
};

struct delivery_config {
  caf::timespan lease = std::chrono::seconds{150};
  caf::timespan heartbeat_interval = std::chrono::seconds{40};
  caf::timespan poll_interval = std::chrono::seconds{1}; ///< Plus jitter, when there is no hint.
  caf::timespan drain_timeout = std::chrono::seconds{10};
  size_t result_writers = 1;
  size_t result_batch = 1000; ///< Most results of one transaction.
  /// How long nothing is sent to a recipient that refused for good.
  caf::timespan suppression = std::chrono::hours{720};
  bool listen =
      true; ///< Processes tell each other of new jobs; without it only polling finds them.
};

struct channel_config {
  std::string provider = "log"; ///< `smtp`, `resend`, `telegram`, `webhook` or `log`.
  size_t slots = 16;
  size_t prefetch = 16; ///< Claimed beyond the free slots, to hide the claim's latency.
  /// For one send, all of it. Not short: a mail server may take its time over the last dot, and
  /// whoever does not wait for its answer sends twice.
  caf::timespan deadline = std::chrono::seconds{120};
  size_t concurrency = 0; ///< Most sends on the wire at once; 0: as many as slots.
  double rate = 0;        ///< Most sends a second in all processes together; 0: no limit.
  breaker_policy breaker;
  retry_policy retry;
  // Used if `provider` is theirs; `http` by all of them but SMTP.
  smtp_config smtp;
  resend_config resend;
  telegram_config telegram;
  webhook_config webhook;
  outbound_http_config http;
};

struct reaper_config {
  caf::timespan interval = std::chrono::seconds{5};
  uint32_t batch_leases = 20;
  int32_t reclaim_cap = 5;
};

struct retention_config {
  caf::timespan interval = std::chrono::minutes{15}; ///< Plus jitter, from the end of a pass.
  uint32_t batch = 1000;                             ///< Most rows of one transaction.
  caf::timespan pause =
      std::chrono::milliseconds{100}; ///< After a full batch: others need the disk.
  retention_times keep;
};

struct stats_config {
  caf::timespan interval = std::chrono::seconds{5}; ///< Plus jitter.
  caf::timespan statement_timeout = std::chrono::seconds{2};
};

/// What answers people and does what they ask for.
struct operator_config {
  size_t desks = 2;                                              ///< Each has sessions of its own.
  caf::timespan query_timeout = std::chrono::seconds{3};         ///< For one statement of theirs.
  caf::timespan operation_interval = std::chrono::seconds{2};    ///< Between looks for operations.
  caf::timespan operation_pause = std::chrono::milliseconds{20}; ///< After each batch of one.
  uint32_t operation_batch = 500; ///< Most notifications that one transaction acts on.
};

struct supervision_config {
  caf::timespan first_delay = std::chrono::milliseconds{100};
  caf::timespan max_delay = std::chrono::seconds{30};
  caf::timespan stable_after = std::chrono::seconds{60}; ///< Then the delay starts over.
  size_t max_crashes = 20;                               ///< More than this within `window` ends
  caf::timespan window = std::chrono::seconds{60};       ///< the process.
};

/// Everything that the actor tree is built from.
struct service_config {
  std::string instance; ///< Names this process in logs, sessions and leases; never empty.
  std::string version = "unknown"; ///< Of the program, for the headers of published dead letters.
  role_config roles;
  postgres_config postgres;
  consumer_config kafka;
  ingest_config ingest;
  dead_letter_config dead_letters;
  delivery_config delivery;
  std::map<std::string, channel_config> channels;
  reaper_config reaper;
  retention_config retention;
  stats_config stats;
  operator_config operators;
  supervision_config supervision;
  tracing_config tracing;
  size_t io_threads = 1;
  std::string routes_file = "routes.json";
  std::string templates_folder = "templates";
  caf::timespan shutdown_timeout = std::chrono::seconds{25};
};

} // namespace notify

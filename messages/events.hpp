#pragma once

#include "messages/kafka.hpp"
#include "messages/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace notify {

/// A validated event: every field fits the database, the payload is a JSON object.
struct event {
  uuid event_id;
  std::string type; ///< Carries its major version, e.g. `order.paid.v1`.
  std::string producer;
  std::string aggregate_id;
  std::string correlation_id; ///< Empty if the producer sent none.
  int64_t occurred_at_us = 0; ///< Microseconds since 1970, UTC.
  std::string traceparent;    ///< A valid W3C trace context, or empty.
  std::string payload;        ///< The JSON object's text.
  std::string payload_sha256; ///< 64 hex digits.
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
};

/// One notification that an event calls for; becomes a record and a queue row.
struct new_job {
  uuid id; ///< See `job_id`: derived from the four fields that make a job unique.
  uuid event_id;
  std::string event_type;
  std::string channel;
  std::string recipient;
  std::string template_key;
  std::string locale;
  std::optional<int64_t> not_before_us =
      std::nullopt; ///< Microseconds since 1970, UTC; not sent earlier.
  std::optional<int64_t> expires_at_us = std::nullopt; ///< Not sent later.
};

/// A record that can never be processed, kept as bytes with the reason.
struct dead_letter {
  kafka_record record;
  std::string reason; ///< Stable code, e.g. `not_json`.
  std::string detail; ///< Safe to show: valid UTF-8, no payload.
  std::optional<uuid> event_id;
};

} // namespace notify

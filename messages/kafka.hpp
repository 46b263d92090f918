#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// Bytes from Kafka that may be absent, which differs from empty: a null value is a tombstone.
struct nullable_bytes {
  bool present = false;
  std::string bytes;

  bool operator==(const nullable_bytes&) const = default;
};

/// One header of a record. Kafka allows any name and any bytes, repeated names included.
struct record_header {
  std::string name;
  nullable_bytes value;

  bool operator==(const record_header&) const = default;
};

/// A record as it was read, nothing interpreted.
struct kafka_record {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t timestamp_ms = -1; ///< Milliseconds since 1970 as told by the broker; -1 if unknown.
  nullable_bytes key;
  nullable_bytes value;
  std::vector<record_header> headers;

  bool operator==(const kafka_record&) const = default;
};

/// Asks an inbox writer to store these records in one transaction. The records of one partition
/// are in offset order.
struct store_batch {
  uint64_t id = 0;
  std::vector<kafka_record> records;
};

/// The batch is durable: its offsets may be committed.
struct batch_stored {
  uint64_t id = 0;
  uint64_t events = 0;       ///< New inbox rows.
  uint64_t duplicates = 0;   ///< Records whose event id was stored before.
  uint64_t dead_letters = 0; ///< Records that can never be processed.
  uint64_t jobs = 0;         ///< New delivery jobs.
};

/// Internal timer of the consumer: one turn of its poll loop.
struct poll_tick {};

/// Internal timer of the consumer: hand a failed batch over again.
struct retry_batch {
  uint64_t id = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, nullable_bytes& x) {
  return f(caf::meta::type_name("nullable_bytes"), x.present, x.bytes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, record_header& x) {
  return f(caf::meta::type_name("record_header"), x.name, x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, kafka_record& x) {
  return f(caf::meta::type_name("kafka_record"), x.topic, x.partition, x.offset, x.timestamp_ms,
           x.key, x.value, x.headers);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, store_batch& x) {
  return f(caf::meta::type_name("store_batch"), x.id, x.records);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, batch_stored& x) {
  return f(caf::meta::type_name("batch_stored"), x.id, x.events, x.duplicates, x.dead_letters,
           x.jobs);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, poll_tick&) {
  return f(caf::meta::type_name("poll_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, retry_batch& x) {
  return f(caf::meta::type_name("retry_batch"), x.id);
}

} // namespace notify

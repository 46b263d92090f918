#pragma once

#include "actors/envelope.hpp"
#include "actors/routing.hpp"
#include "messages/kafka.hpp"
#include "persistence/ingest_store.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace notify {

/// A refused record, for the log: names, no content.
struct refused_record {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  std::string reason;
  std::string detail;
  std::string event_id;       ///< Empty if the record has none that can be read.
  std::string correlation_id; ///< Empty if unknown.
};

/// What one batch of records amounts to.
struct ingest_plan {
  ingest_batch batch;
  std::vector<refused_record> refused;
  uint64_t duplicates = 0;     ///< Records whose event id came before in the same batch.
  std::vector<uuid> conflicts; ///< Ids of those among them whose payload differs from the first.
  uint64_t unrouted = 0;       ///< Events whose type calls for no notification.
  std::vector<bool> verdicts;  ///< One for each record in order: true if it is refused.
};

/// Validates, drops repeated event ids (the first one wins), routes. Pure: nothing in the result
/// is refused by a healthy database.
ingest_plan plan_batch(std::span<const kafka_record> records, const routing_table& routes,
                       const envelope_limits& limits);

/// How far these records move each partition. The records of one partition are in offset order.
std::vector<ledger_move> moves_of(std::span<const kafka_record> records);

/// Makes a dead letter of a record that must not be looked into again.
ingest_plan plan_refusal(const kafka_record& record, refusal_reason reason, std::string detail);

/// A dead letter for an event that the database refused although it is valid for us.
dead_letter make_refused_letter(std::span<const kafka_record> records, const event& x,
                                refusal_reason reason, std::string detail);

} // namespace notify

#pragma once

#include "messages/kafka.hpp"
#include "persistence/ingest_store.hpp"

#include <cstdint>
#include <span>

namespace notify {

struct ingest_plan;

/// Stores the batch; runs it again at once, a few times, if it met a deadlock or a timeout.
caf::expected<ingest_report> store_with_retries(ingest_store& storage, const ingest_batch& batch);

/// For a plan that the database refused with `reason`, an `ec::storage_data`: halves its events
/// until each culprit is alone, stores the others on the way, and ends with one transaction of all
/// dead letters, the culprits among them, and the batch's positions and marks. Adds the culprits to
/// the plan's refused records. Any other error ends it; running the whole batch again is then safe.
caf::expected<ingest_report> store_isolated(ingest_store& storage, ingest_plan& plan,
                                            std::span<const kafka_record> records, uint32_t tries,
                                            const caf::error& reason);

} // namespace notify

#pragma once

#include "actors/tracer.hpp"
#include "messages/delivery.hpp"
#include "messages/kafka.hpp"

#include <caf/error.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

// The spans of work for many events at once. Such a span is no child of any of them but links to
// them, as far as they are sampled.

namespace notify {

struct ingest_plan;

/// From the moment a batch is handed over until it is durable, over all its tries. Nothing if it is
/// not traced.
std::optional<span> begin_consume(const tracer& trace, uint64_t batch,
                                  std::span<const kafka_record> records);

/// One try to store a batch: a child of the batch's `consume`.
std::optional<span> begin_ingest(const tracer& trace, uint64_t batch,
                                 std::span<const kafka_record> records);

/// The events that a try stored.
void add_links(const tracer& trace, const ingest_plan& plan, span& out);

/// One claim of a channel's due jobs, which began at `start_us`. Says nothing about one that found
/// nothing.
void trace_claim(const tracer& trace, const std::string& channel, int64_t start_us,
                 const std::vector<delivery_job>& jobs);

/// The same for one that failed.
void trace_failed_claim(const tracer& trace, const std::string& channel, int64_t start_us,
                        const caf::error& reason);

} // namespace notify

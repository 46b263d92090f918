#pragma once

#include "actors/kafka/record_source.hpp"

#include <librdkafka/rdkafka.h>

#include <map>
#include <string_view>

namespace notify::kafka {

/// Copies a message with everything that may differ: absent and empty values, repeated headers.
kafka_record read_record(const rd_kafka_message_t& message);

/// What a commit's result calls for.
commit_verdict classify_commit(rd_kafka_resp_err_t code);

/// The lag of each partition of ours in librdkafka's statistics, empty if there is none. The end
/// of a partition comes from fetch answers, so the number stands still while it is paused.
std::map<topic_partition, int64_t> read_lag(std::string_view statistics);

} // namespace notify::kafka

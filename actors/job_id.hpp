#pragma once

#include "messages/uuid.hpp"

#include <cstdint>
#include <string_view>

namespace notify {

/// The id of the one job for (event, channel, recipient, template): a UUIDv8 (RFC 9562) of 48 bits
/// of the event's time in milliseconds, then bits of SHA-256 over the four fields, each preceded
/// by its length. Deterministic, so a restore and a replay give the same id, and time-ordered, so
/// inserts go to the right edge of the primary key's index. Test vectors: docs/job-ids.md.
uuid make_job_id(const uuid& event_id, int64_t occurred_at_us, std::string_view channel,
                 std::string_view recipient, std::string_view template_key);

} // namespace notify

#pragma once

#include <cstdint>
#include <string>

namespace notify::bench {

/// Fills an empty, migrated database with `count` notifications of the last 90 days, as a service
/// of some years has them: nearly all sent, 2 % dead, some cancelled, a few thousand waiting; their
/// events, and one attempt each. Straight into the tables, in parts. Then VACUUM ANALYZE.
void seed_notifications(const std::string& url, uint64_t count);

} // namespace notify::bench

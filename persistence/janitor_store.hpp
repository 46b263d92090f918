#pragma once

#include <caf/expected.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace notify {

/// What is deleted after its time.
enum class retained : uint8_t {
  jobs,         ///< Sent and cancelled ones, with their attempts.
  dead_jobs,    ///< With their attempts.
  events,       ///< Without jobs: of no route, or whose jobs are gone.
  dead_letters, ///< Published ones.
  suppressions, ///< Those that are over.
  operations,   ///< Finished ones, with what they passed over.
};

/// All of them in the order of a pass: events come after the jobs that hold them.
inline constexpr std::array retained_kinds{retained::jobs,         retained::dead_jobs,
                                           retained::events,       retained::dead_letters,
                                           retained::suppressions, retained::operations};

/// How far a sweep came, oldest rows first: the last row that it looked at. Opaque to callers.
struct sweep_position {
  std::string at = "-infinity";
  std::string id = "00000000-0000-0000-0000-000000000000";

  bool operator==(const sweep_position&) const = default;
};

/// What one transaction did.
struct cleaned_batch {
  bool is_ours = true;    ///< False if another process cleans right now: nothing was looked at.
  uint64_t looked_at = 0; ///< As many as the limit: there may be more.
  uint64_t deleted = 0;   ///< Rows of the kind that was asked for.
  uint64_t events = 0;    ///< Events that went with the last of their jobs.
  sweep_position last;    ///< Where the next batch begins.
};

/// Deletes what is past its retention, a little at a time. Never touches a job that is open, waits
/// or is in flight, nor a dead letter that was not published. Blocks.
class janitor_store {
public:
  virtual ~janitor_store() = default;

  /// Looks at the next `limit` rows after `after` that are old enough by their age alone, and
  /// deletes those that may go, in a transaction of its own. Among all processes one cleans at a
  /// time. What is kept for ever is not looked at.
  virtual caf::expected<cleaned_batch> clean(retained kind, const sweep_position& after,
                                             uint32_t limit) = 0;

  /// How many rows after `after` may go, as far as the next `look` rows tell.
  virtual caf::expected<uint64_t> backlog(retained kind, const sweep_position& after,
                                          uint32_t look) = 0;
};

using janitor_store_ptr = std::shared_ptr<janitor_store>;

} // namespace notify

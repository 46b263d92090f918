#pragma once

#include "persistence/page_cursor.hpp"
#include "persistence/read_store.hpp"
#include "persistence/session.hpp"

#include <chrono>

namespace notify {

/// How much work one answer may be.
struct read_bounds {
  uint32_t look = 2000; ///< Rows that one statement looks at: some 10 ms of work at most.
  /// After this much time a list gives what it has, and a cursor to go on from.
  caf::timespan patience = std::chrono::milliseconds{20};
  uint64_t preview_count = 10'000;                                 ///< A preview counts no further,
  caf::timespan preview_patience = std::chrono::milliseconds{500}; ///< and for no longer.
};

/// What people see, on PostgreSQL. A session of its own: whoever looks waits for others who look,
/// not the deliveries.
class pg_read_store : public read_store {
public:
  /// Nobody waits for an answer longer than `config.statement_timeout`: give it a short one.
  explicit pg_read_store(const postgres_config& config, const read_bounds& bounds = {});

  caf::expected<notification_page> list(const list_notifications& x) override;
  caf::expected<notification_story> notification(const uuid& id) override;
  caf::expected<event_story> event(const uuid& event_id) override;
  caf::expected<operation_page> operations(const list_operations& x) override;
  caf::expected<operation_line> operation(int64_t id) override;
  caf::expected<skipped_page> skipped(const list_skipped& x) override;
  caf::expected<audit_page> audit(const list_audit& x) override;
  caf::expected<pause_list> pauses() override;
  caf::expected<operation_preview> preview(const preview_operation& x) override;

private:
  std::vector<notification_line> lines(const std::vector<page_key>& keys);
  caf::optional<event_line> find_event(const std::string& event_id);
  std::vector<notification_history> histories(std::vector<notification_line> lines);

  session session_;
  read_bounds bounds_;
};

} // namespace notify

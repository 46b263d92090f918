#pragma once

#include "messages/operator.hpp"

#include <caf/expected.hpp>

#include <memory>

namespace notify {

/// What people may see of the tables, in answers of bounded size and cost. Blocks.
///
/// Errors: `ec::invalid_request` for a filter or cursor that makes no sense, `ec::not_found`, and
/// those of storage.
class read_store {
public:
  virtual ~read_store() = default;

  virtual caf::expected<notification_page> list(const list_notifications& x) = 0;
  virtual caf::expected<notification_story> notification(const uuid& id) = 0;
  virtual caf::expected<event_story> event(const uuid& event_id) = 0;
  virtual caf::expected<operation_page> operations(const list_operations& x) = 0;
  virtual caf::expected<operation_line> operation(int64_t id) = 0;
  virtual caf::expected<skipped_page> skipped(const list_skipped& x) = 0;
  virtual caf::expected<audit_page> audit(const list_audit& x) = 0;
  virtual caf::expected<pause_list> pauses() = 0;

  /// How many notifications an operation would find, up to a bound.
  virtual caf::expected<operation_preview> preview(const preview_operation& x) = 0;
};

using read_store_ptr = std::shared_ptr<read_store>;

} // namespace notify

#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// Acts of people on PostgreSQL.
class pg_operator_store : public operator_store {
public:
  explicit pg_operator_store(const postgres_config& config);

  caf::expected<notification_acted> retry(const retry_notification& x) override;
  caf::expected<notification_acted> cancel(const cancel_notification& x) override;
  caf::expected<operation_line> start(const start_operation& x) override;
  caf::expected<operation_line> cancel(const cancel_operation& x) override;
  caf::expected<channel_pause_set> set_paused(const pause_channel& x) override;
  caf::error announce(const std::string& by, const std::string& action, const std::string& target,
                      const std::string& details) override;

private:
  caf::expected<notification_acted> act(bulk_kind kind, const uuid& id, bool fresh_key,
                                        const std::string& by);
  caf::optional<operation_line> find_operation(long long id);

  session session_;
};

} // namespace notify

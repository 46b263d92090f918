#pragma once

#include "persistence/operation_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// Operations on PostgreSQL. The lock on an operation's row is the right to work on it.
class pg_operation_store : public operation_store {
public:
  /// An operation keeps this many of the notifications that it passed over by name.
  static constexpr long long kept_skips = 10'000;

  explicit pg_operation_store(const postgres_config& config);

  caf::expected<operation_step> work(const operation_batch& batch) override;

private:
  struct held_operation;

  caf::optional<held_operation> take();
  operation_step advance(const held_operation& x, const operation_batch& batch);
  void fail(int64_t id, const caf::error& reason);

  session session_;
};

} // namespace notify

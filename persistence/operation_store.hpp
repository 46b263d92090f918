#pragma once

#include "messages/operator_operations.hpp"

#include <caf/expected.hpp>

#include <memory>

namespace notify {

/// How much one transaction of an operation does. Neither is 0.
struct operation_batch {
  uint32_t acts = 500;  ///< Most notifications that it acts on,
  uint32_t look = 5000; ///< and that it looks at.
};

/// What one transaction did.
struct operation_step {
  int64_t id = 0; ///< 0: no operation runs that nobody else works on right now.
  bool is_over = false;
  uint64_t matched = 0;
  uint64_t done = 0;
};

/// What the runner needs of stored operations. Blocks.
class operation_store {
public:
  virtual ~operation_store() = default;

  /// Takes a running operation that no other session works on, the one that rested longest, does
  /// its next batch, and stores how far it came, all in one transaction: whatever ends the process,
  /// each notification is acted on once. An operation that cannot go on becomes `failed`.
  virtual caf::expected<operation_step> work(const operation_batch& batch) = 0;
};

using operation_store_ptr = std::shared_ptr<operation_store>;

} // namespace notify

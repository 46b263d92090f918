#pragma once

#include "messages/error.hpp"
#include "messages/operator.hpp"
#include "persistence/pg_operation_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "persistence/pg_read_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace notify::test {

/// The value; throws with the error otherwise.
template <class T>
T required(caf::expected<T> x) {
  if (!x)
    throw std::runtime_error{render(x.error())};
  return std::move(*x);
}

/// A filter, and the same question put to the view by hand.
struct sample_filter {
  std::string name;
  notification_filter filter;
  std::string condition; ///< Of `notify.notifications n`.
};

/// Every filter by itself, some together, some that find nothing. One place for all tests.
std::vector<sample_filter> sample_filters();

/// Adds `count` events with a job each, numbered from `first`: every status, channels, types,
/// recipients, errors and providers of different frequency, many of one moment.
void populate(postgres_fixture& db, int first, int count);

/// A populated database with the stores of an operator.
struct populated_fixture : store_fixture {
  explicit populated_fixture(int jobs = 600) { populate(db, 1, jobs); }

  /// Ids by the view, newest first.
  strings expected(const std::string& condition);

  /// All pages of this list, put together.
  strings listed(read_store& store, const notification_filter& filter, uint32_t limit);

  /// Works until no operation runs; how many batches it took.
  int work_off(const operation_batch& batch = {});

  read_bounds bounds;
  pg_read_store reads{db.config(), bounds};
  pg_operator_store acts{db.config()};
  pg_operation_store operations{db.config()};
};

} // namespace notify::test

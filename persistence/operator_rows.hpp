#pragma once

#include "messages/operator.hpp"

#include <soci/soci.h>

#include <string>

namespace notify {

// Columns as the operators' stores read them, and what they mean. Text that is missing comes as
// empty text, a number or time that is missing as `no_number`.

inline constexpr long long no_number = -1;

/// SQL for a time as microseconds since 1970.
std::string us_of(const std::string& column);

/// Reads a row's columns from left to right.
class column_reader {
public:
  explicit column_reader(const soci::row& row, size_t first = 0) : row_(row), at_(first) {}

  std::string text() { return row_.get<std::string>(at_++); }
  int64_t number() { return row_.get<long long>(at_++); }
  int32_t small() { return static_cast<int32_t>(number()); }
  bool flag() { return number() != 0; }
  uuid id();
  caf::optional<uuid> maybe_id();
  caf::optional<int64_t> maybe_number();
  caf::optional<int32_t> maybe_small();

private:
  const soci::row& row_;
  size_t at_;
};

/// Of the view `notify.notifications n`.
extern const std::string notification_columns;
notification_line read_notification(column_reader& from);

/// Of `notify.delivery_attempts a`, the job's id first.
extern const std::string attempt_columns;
attempt_line read_attempt(column_reader& from);

/// Of `notify.inbox_events e`.
extern const std::string event_columns;
event_line read_event(column_reader& from);

/// Of `notify.operations o`.
extern const std::string operation_columns;
operation_line read_operation(column_reader& from);

} // namespace notify

#pragma once

#include "messages/kafka.hpp"

#include <span>

namespace notify {

/// For tests of whole processes: ends this one by `abort` if a record's value contains the text of
/// the environment variable `NOTIFY_DEBUG_POISON`. Without the variable it does nothing.
void die_of_poison(std::span<const kafka_record> records);

} // namespace notify

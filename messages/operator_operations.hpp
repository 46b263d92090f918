#pragma once

#include "messages/operator_notifications.hpp"

#include <map>

namespace notify {

/// What a bulk operation does to each notification that it finds.
enum class bulk_kind : uint8_t {
  retry,  ///< To `dead` ones.
  cancel, ///< To `pending` and `retry_wait` ones.
};

std::string to_string(bulk_kind x);

/// Asks a desk how much an operation would find. An empty filter is `ec::invalid_request`.
struct preview_operation {
  bulk_kind kind = bulk_kind::retry;
  notification_filter filter;
};

struct operation_preview {
  uint64_t count = 0;      ///< Notifications that match now.
  uint64_t actionable = 0; ///< Those of them that could be acted on now.
  bool capped = false;     ///< There may be more: counting stopped at a bound.
};

/// Asks a desk to store an operation, which a runner then works off. An empty filter is
/// `ec::invalid_request`.
struct start_operation {
  bulk_kind kind = bulk_kind::retry;
  notification_filter filter;
  bool fresh_key = false; ///< Of a retry.
  std::string by;
};

/// An operation and how far it is.
struct operation_line {
  int64_t id = 0;
  bulk_kind kind = bulk_kind::retry;
  notification_filter filter;
  bool fresh_key = false;
  std::string status; ///< `running`, `done`, `cancelled` or `failed`.
  std::string created_by;
  int64_t created_us = 0;
  int64_t updated_us = 0;
  caf::optional<int64_t> finished_us;
  uint64_t matched = 0; ///< So far.
  uint64_t done = 0;
  std::map<std::string, uint64_t> skipped; ///< By reason: the status it was in, or `gone`.
  caf::optional<int64_t> reached_us;       ///< Creation time of the last row that was looked at.
  std::string error;
};

/// Asks a desk for operations, newest first.
struct list_operations {
  uint32_t limit = 50;
  std::string cursor;
};

struct operation_page {
  std::vector<operation_line> items;
  std::string next;
};

/// Asks a desk for one operation; `ec::not_found` if there is none.
struct get_operation {
  int64_t id = 0;
};

/// Asks a desk to end a running operation; answered by its `operation_line`. `ec::wrong_state` if
/// it does not run.
struct cancel_operation {
  int64_t id = 0;
  std::string by;
};

/// Asks a desk what an operation passed over.
struct list_skipped {
  int64_t id = 0;
  uint32_t limit = 50;
  std::string cursor;
};

struct skipped_line {
  uuid id;
  std::string reason;
};

struct skipped_page {
  std::vector<skipped_line> items;
  std::string next;
};

/// A hint from a desk to a runner: an operation was stored.
struct operation_stored {
  int64_t id = 0;
};

/// Internal timer of the runner. Stale if the generation is not the current one.
struct operation_tick {
  uint64_t generation = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, preview_operation& x) {
  return f(caf::meta::type_name("preview_operation"), x.kind, x.filter);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, operation_preview& x) {
  return f(caf::meta::type_name("operation_preview"), x.count, x.actionable, x.capped);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, start_operation& x) {
  return f(caf::meta::type_name("start_operation"), x.kind, x.filter, x.fresh_key, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, operation_line& x) {
  return f(caf::meta::type_name("operation_line"), x.id, x.kind, x.filter, x.fresh_key, x.status,
           x.created_by, x.created_us, x.updated_us, x.finished_us, x.matched, x.done, x.skipped,
           x.reached_us, x.error);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_operations& x) {
  return f(caf::meta::type_name("list_operations"), x.limit, x.cursor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, operation_page& x) {
  return f(caf::meta::type_name("operation_page"), x.items, x.next);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_operation& x) {
  return f(caf::meta::type_name("get_operation"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, cancel_operation& x) {
  return f(caf::meta::type_name("cancel_operation"), x.id, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_skipped& x) {
  return f(caf::meta::type_name("list_skipped"), x.id, x.limit, x.cursor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, skipped_line& x) {
  return f(caf::meta::type_name("skipped_line"), x.id, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, skipped_page& x) {
  return f(caf::meta::type_name("skipped_page"), x.items, x.next);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, operation_stored& x) {
  return f(caf::meta::type_name("operation_stored"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, operation_tick& x) {
  return f(caf::meta::type_name("operation_tick"), x.generation);
}

} // namespace notify

#pragma once

#include <caf/error.hpp>
#include <caf/make_message.hpp>

#include <cstdint>
#include <string>

namespace notify {

/// What can go wrong inside the service. Values are stable: they appear in logs and metrics, so
/// append only. Each comment says what the caller should do.
enum class ec : uint8_t {
  none = 0,
  storage_unavailable, ///< The database did not answer or shut down: keep the work, retry later.
  storage_conflict,    ///< Deadlock, serialization failure or timeout: run the same batch again.
  storage_data,        ///< The database refused a value: isolate the row, never retry unchanged.
  storage_schema,      ///< A table, column or right is missing: stop and alarm, it is a deployment
                       ///< fault.
  lease_lost,          ///< Another worker owns the job now: drop the result.
  invalid_event,       ///< The record can never be processed: dead-letter it.
  invalid_template,    ///< The notification cannot be rendered: the job is dead, nothing was sent.
  invalid_config,      ///< Start-up only: stop with the option's name.
  kafka_unavailable,   ///< The broker did not answer: keep the work, retry later.
  kafka_fatal,         ///< librdkafka gave up on this client: leave the process.
  crashed,             ///< A handler threw; the actor is gone and its supervisor restarts it.
  too_many_restarts,   ///< A supervisor gave up on its children: the process ends.
  stopping,            ///< The service is shutting down: drop the request.
  listen_failed,       ///< Start-up only: the address is taken or not this host's.
  ingest_halted,       ///< Too many records would be dead-lettered: keep them, pause, alarm.
  not_found,           ///< A person asked for something that does not exist: tell them.
  wrong_state,         ///< It exists, but what was asked cannot be done to it now: tell them.
  invalid_request,     ///< A person's request makes no sense: tell them what is wrong with it.
};

std::string to_string(ec code);

/// Renders `err` with its category and context, for logs.
std::string render(const caf::error& err);

/// True if the same work may succeed when it is tried again later.
bool is_transient(const caf::error& err);

} // namespace notify

CAF_ERROR_CODE_ENUM(notify::ec, "notify")

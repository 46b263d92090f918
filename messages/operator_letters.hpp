#pragma once

#include "messages/kafka.hpp"
#include "messages/uuid.hpp"

#include <caf/meta/type_name.hpp>
#include <caf/optional.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What people ask about dead letters, the audit log and pauses. Times are microseconds since 1970,
// UTC.

namespace notify {

/// Asks a desk for a page of dead letters, newest first. Everything that is set must hold.
struct list_dead_letters {
  std::string reason;
  std::string topic;
  caf::optional<int64_t> from_us; ///< First failed at this time or later.
  caf::optional<int64_t> to_us;   ///< First failed before this time.
  caf::optional<bool> published;
  caf::optional<bool> replayed;
  uint32_t limit = 50;
  std::string cursor;
};

/// A dead letter without its bytes.
struct dead_letter_line {
  int64_t id = 0;
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t timestamp_ms = -1; ///< The record's own; -1 if unknown.
  std::string reason;
  std::string detail;
  caf::optional<uuid> event_id;
  int32_t attempts = 0;
  int64_t first_failed_us = 0;
  int64_t last_failed_us = 0;
  caf::optional<int64_t> published_us;
  std::string publish_note;
  int32_t replays = 0;
  caf::optional<int64_t> replayed_us;
  std::string replay_result;
  caf::optional<int64_t> key_bytes;   ///< Nothing: the key is null.
  caf::optional<int64_t> value_bytes; ///< Nothing: the value is null.
  int32_t headers = 0;
};

struct dead_letter_page {
  std::vector<dead_letter_line> items;
  std::string next;
};

/// Asks a desk for one dead letter with its bytes; `ec::not_found` if there is none.
struct get_dead_letter {
  int64_t id = 0;
};

/// Parts of the record may be cut; the true sizes of key and value stand in `line`.
struct dead_letter_story {
  dead_letter_line line;
  kafka_record record;
};

/// Asks a desk to take a record through the inbox again. `ec::wrong_state` if a replay settled it
/// before.
struct replay_dead_letter {
  int64_t id = 0;
  bool dry_run = false; ///< Only tell what would come of it.
  std::string by;
};

struct dead_letter_replayed {
  bool dry_run = false;
  std::string result; ///< `stored`, `duplicate` or `refused`.
  std::string reason; ///< Why it was refused.
  uint64_t jobs = 0;  ///< Notifications that wait now.
};

/// Asks a desk for a page of the audit log, newest first. Everything that is set must hold.
struct list_audit {
  std::string actor;
  std::string action;
  std::string target;
  uint32_t limit = 50;
  std::string cursor;
};

struct audit_line {
  int64_t id = 0;
  int64_t at_us = 0;
  std::string actor;
  std::string action;
  std::string target;
  std::string details; ///< A JSON object.
};

struct audit_page {
  std::vector<audit_line> items;
  std::string next;
};

/// Asks a desk to pause or resume a channel in all processes; answered by `channel_pause_set`.
struct pause_channel {
  std::string channel;
  bool paused = false;
  std::string by;
};

/// Asks a desk which channels are paused.
struct get_pauses {};

struct pause_line {
  std::string channel;
  int64_t paused_us = 0;
  std::string paused_by;
};

struct pause_list {
  std::vector<pause_line> items;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_dead_letters& x) {
  return f(caf::meta::type_name("list_dead_letters"), x.reason, x.topic, x.from_us, x.to_us,
           x.published, x.replayed, x.limit, x.cursor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dead_letter_line& x) {
  return f(caf::meta::type_name("dead_letter_line"), x.id, x.topic, x.partition, x.offset,
           x.timestamp_ms, x.reason, x.detail, x.event_id, x.attempts, x.first_failed_us,
           x.last_failed_us, x.published_us, x.publish_note, x.replays, x.replayed_us,
           x.replay_result, x.key_bytes, x.value_bytes, x.headers);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dead_letter_page& x) {
  return f(caf::meta::type_name("dead_letter_page"), x.items, x.next);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_dead_letter& x) {
  return f(caf::meta::type_name("get_dead_letter"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dead_letter_story& x) {
  return f(caf::meta::type_name("dead_letter_story"), x.line, x.record);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replay_dead_letter& x) {
  return f(caf::meta::type_name("replay_dead_letter"), x.id, x.dry_run, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dead_letter_replayed& x) {
  return f(caf::meta::type_name("dead_letter_replayed"), x.dry_run, x.result, x.reason, x.jobs);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_audit& x) {
  return f(caf::meta::type_name("list_audit"), x.actor, x.action, x.target, x.limit, x.cursor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, audit_line& x) {
  return f(caf::meta::type_name("audit_line"), x.id, x.at_us, x.actor, x.action, x.target,
           x.details);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, audit_page& x) {
  return f(caf::meta::type_name("audit_page"), x.items, x.next);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pause_channel& x) {
  return f(caf::meta::type_name("pause_channel"), x.channel, x.paused, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_pauses&) {
  return f(caf::meta::type_name("get_pauses"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pause_line& x) {
  return f(caf::meta::type_name("pause_line"), x.channel, x.paused_us, x.paused_by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pause_list& x) {
  return f(caf::meta::type_name("pause_list"), x.items);
}

} // namespace notify

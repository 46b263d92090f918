#pragma once

#include "actors/kafka/admin.hpp"
#include "actors/kafka/group_offsets.hpp"
#include "persistence/audit_log.hpp"
#include "tools/command_line.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_settings.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

// What the verbs of `notifyctl offsets` share: a consumer group, the database, and moving the one
// with a record of it in the other.

namespace notify::ctl {

/// Offsets by partition, of one topic.
using offset_map = std::map<int32_t, int64_t>;

struct group_desk {
  kafka::group_offsets group;
  kafka::admin admin;
  std::chrono::seconds timeout;
  cli::arguments from; ///< The command line.
  std::string name;    ///< The group's.
  std::string topic;   ///< That events come from.
  cluster servers;
  postgres_config database;

  static caf::expected<group_desk> open(cli::arguments from);

  /// What the group has committed for the topic.
  caf::expected<offset_map> committed();

  /// An error if the group has members: they would go on where they are, and commit that.
  caf::error require_no_members();

  /// Moves the group and records that; neither without the other, as far as two servers allow: if
  /// the database fails at the very end, the error says so.
  caf::error move_and_record(const offset_map& after, const audit_entry& entry);
};

/// Tells what failed and where; the exit code.
int failure(const caf::error& error, std::string_view path, const cluster& servers, streams io);

/// One line per partition: topic, partition, old offset or "-", new offset.
void print_moves(const std::string& topic, const offset_map& before, const offset_map& after,
                 streams io);

/// The same for the audit log, as JSON, with one more text under the name `why`.
std::string details_of(const std::string& topic, const offset_map& before, const offset_map& after,
                       const std::string& why, const std::string& text);

} // namespace notify::ctl

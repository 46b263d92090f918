#pragma once

#include "actors/kafka/conf.hpp"
#include "tools/command_line.hpp"
#include "tools/settings.hpp"

#include <memory>
#include <string>
#include <vector>

// What a command works on: the service's own settings, with what the command line says put over
// them. So a person who names the service's file types no address twice, and passwords come from
// where the service has them.

namespace notify::ctl {

/// The settings of `--config` or NOTIFYD_CONFIG, or the defaults. `--brokers`, `--group`,
/// `--postgres` and `--routes` win.
caf::expected<std::unique_ptr<settings>> read_settings(const cli::arguments& from);

/// The service's database, for a session of notifyctl's.
postgres_config database_of(const settings& x);

/// How to reach the service's Kafka.
struct cluster {
  std::vector<std::string> brokers;
  kafka::properties connection;

  /// For messages: ` (brokers a:9092,b:9092)`.
  std::string suffix() const;
};

cluster cluster_of(const settings& x);

/// `--topic`, or the only one that the service reads; the error asks for it.
caf::expected<std::string> event_topic(const cli::arguments& from, const settings& x);

} // namespace notify::ctl

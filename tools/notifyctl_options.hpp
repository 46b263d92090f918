#pragma once

#include "tools/command_line.hpp"

#include <string>

// Options that several subcommands of `notifyctl` have.

namespace notify::ctl {

inline constexpr cli::option config_option{
    "config", "FILE", "the service's settings (default: NOTIFYD_CONFIG, or none)", ""};
inline constexpr cli::option brokers_option{"brokers", "HOST:PORT,...",
                                            "where Kafka listens, instead of the settings'", ""};
inline constexpr cli::option timeout_option{"timeout", "SECONDS", "give up after this time", "30"};
inline constexpr cli::option group_option{"group", "NAME",
                                          "the consumer group, instead of the settings'", ""};
inline constexpr cli::option topic_option{"topic", "NAME",
                                          "the topic with events, instead of the settings'", ""};
inline constexpr cli::option postgres_option{
    "postgres", "URL", "the database, without a password, instead of the settings'", ""};
inline constexpr cli::option routes_option{
    "routes", "FILE", "judge by this routes file, instead of the settings'", ""};
inline constexpr cli::option actor_option{"actor", "NAME",
                                          "who does this, for the audit log (default: $USER)", ""};
inline constexpr cli::option dry_run_option{"dry-run", "", "say what would be done, and do nothing",
                                            ""};
inline constexpr cli::option json_option{"json", "", "JSON instead of text", ""};

/// `--actor`, or the account's name.
std::string actor_name(const cli::arguments& from);

/// A place in a partition as people write it: `earliest`, `latest`, an offset, or a time by RFC
/// 3339.
struct place {
  enum class kind { earliest, latest, offset, time, ledger };

  kind what = kind::earliest;
  int64_t value = 0; ///< The offset, or milliseconds since 1970.
};

/// Reads an option's value. `ledger` (where the database says that the service stood) is understood
/// only where it makes sense.
caf::expected<place> read_place(const cli::arguments& from, std::string_view name,
                                bool allow_ledger);

} // namespace notify::ctl

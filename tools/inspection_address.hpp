#pragma once

#include "tools/command_line.hpp"

#include <cstdint>
#include <string>

namespace notify::ctl {

inline constexpr cli::option address_option{
    "address", "HOST:PORT", "where the service shows its actors (default: the port in --config)",
    ""};

/// Where `inspection.port` of a service is.
struct inspection_address {
  std::string host;
  uint16_t port = 0;
};

/// `--address`, or the settings' port on this machine. `ec::invalid_config` if there is neither.
caf::expected<inspection_address> read_address(const cli::arguments& from);

} // namespace notify::ctl

#pragma once

#include "tools/option.hpp"

#include <string>

namespace notify {

/// Adds the section `channel-NAME`: the same options for every channel.
void add_channel(option_list& out, const std::string& name, channel_config& channel,
                 std::string& smtp_password_file);

} // namespace notify

#pragma once

#include "tools/option.hpp"

#include <string>

namespace notify {

/// Files with the secrets of one channel's providers.
struct channel_secret_files {
  std::string smtp_password;
  std::string resend_key;
  std::string telegram_token;
  std::string webhook_secrets; ///< One for each line.
};

/// Adds the section `channel-NAME`: the same options for every channel.
void add_channel(option_list& out, const std::string& name, channel_config& channel,
                 channel_secret_files& files);

} // namespace notify

#pragma once

#include "actors/service.hpp"
#include "http/auth.hpp"
#include "tools/settings.hpp"

#include <string>
#include <vector>

namespace notify {

/// Reads the settings again while the service runs, from where they came at its start.
class reloader {
public:
  /// `at_start` outlives this object.
  reloader(arguments args, const settings& at_start);

  /// Takes over what can be changed at run time and names what cannot, in the log and in the audit
  /// log. If anything is wrong with the new settings nothing changes and the log says all of it.
  /// Without a `keeper` there is nobody whom tokens would let in.
  void reload(service& running, http::gatekeeper* keeper);

private:
  void apply_tokens(http::token_list tokens, const settings& next, http::gatekeeper& keeper,
                    std::vector<std::string>& changes) const;
  void apply_logging(const settings& next, std::vector<std::string>& changes);
  std::vector<std::string> need_restart(const settings& next) const;

  arguments args_;
  const settings& at_start_;
  logging_config logging_; ///< In effect.
};

/// True for options that a reload applies.
bool is_reloadable(const std::string& option_name);

} // namespace notify

#pragma once

#include "actors/service_config.hpp"
#include "messages/tuning.hpp"

#include <map>
#include <mutex>
#include <string>

namespace notify {

/// The limits of a channel as its settings say, `concurrency` filled in.
tune_channel tuning_of(const std::string& name, const channel_config& config);

/// Puts them into a channel's settings.
void apply_tuning(const tune_channel& from, channel_config& to);

/// The channels' limits of this moment, for actors that start: a restarted one must not come back
/// with those of the process's start. Thread-safe.
class channel_tuning {
public:
  explicit channel_tuning(const std::map<std::string, channel_config>& channels);

  tune_channel of(const std::string& channel) const;

  /// Takes new limits of a channel that is known; false if they are the ones it has.
  bool set(const tune_channel& x);

private:
  mutable std::mutex mutex_;
  std::map<std::string, tune_channel> channels_;
};

} // namespace notify

#include "actors/channel_tuning.hpp"

#include <algorithm>
#include <tuple>

namespace notify {

namespace {

auto values_of(const tune_channel& x) {
  return std::tie(x.slots, x.prefetch, x.concurrency, x.rate);
}

} // namespace

tune_channel tuning_of(const std::string& name, const channel_config& config) {
  auto most = config.concurrency == 0 ? config.slots : std::min(config.concurrency, config.slots);
  return {name, static_cast<uint32_t>(config.slots), static_cast<uint32_t>(config.prefetch),
          static_cast<uint32_t>(most), config.rate};
}

void apply_tuning(const tune_channel& from, channel_config& to) {
  to.slots = from.slots;
  to.prefetch = from.prefetch;
  to.concurrency = from.concurrency;
  to.rate = from.rate;
}

channel_tuning::channel_tuning(const std::map<std::string, channel_config>& channels) {
  for (const auto& [name, config] : channels)
    channels_.emplace(name, tuning_of(name, config));
}

tune_channel channel_tuning::of(const std::string& channel) const {
  std::lock_guard guard{mutex_};
  return channels_.at(channel);
}

bool channel_tuning::set(const tune_channel& x) {
  std::lock_guard guard{mutex_};
  auto& entry = channels_.at(x.channel);
  if (values_of(entry) == values_of(x))
    return false;
  entry = x;
  return true;
}

} // namespace notify

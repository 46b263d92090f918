#pragma once

#include "persistence/session.hpp"
#include "persistence/stats_store.hpp"

namespace notify {

/// The figures from PostgreSQL, under a short statement timeout of their own.
class pg_stats_store : public stats_store {
public:
  /// `timeout` takes the place of the configuration's: nobody waits long for figures.
  pg_stats_store(postgres_config config, caf::timespan timeout);

  caf::expected<std::map<std::string, channel_counts>> count() override;
  caf::expected<queue_health> health() override;
  caf::expected<figure_map> books() override;

private:
  session session_;
};

} // namespace notify

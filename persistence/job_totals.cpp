#include "persistence/job_totals.hpp"

#include <stdexcept>

namespace notify {

std::string add_to_totals(std::string_view from,
                          const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string names, values, updates, any;
  for (const auto& [total, condition] : columns) {
    auto count =
        condition.empty() ? std::string{"count(*)"} : "count(*) filter (where " + condition + ")";
    names += ", " + total;
    values += ", " + count;
    updates += (updates.empty() ? "" : ", ") + total + " = t." + total + " + excluded." + total;
    any += (any.empty() ? "" : " + ") + count;
  }
  // In the order of channels: two sessions of one shard then wait for each other in one direction.
  return "counted as (insert into notify.job_totals as t (shard, channel" + names
         + ") select pg_backend_pid() % 16, channel" + values + " from " + std::string{from}
         + " group by channel having " + any
         + " > 0 order by channel on conflict (shard, channel) do update set " + updates + ")";
}

std::string with_counts(std::string text, const std::string& counted) {
  constexpr std::string_view place = "$counted";
  auto at = text.find(place);
  if (at == std::string::npos)
    throw std::logic_error{"a statement without a place for its counts"};
  return text.replace(at, place.size(), counted);
}

} // namespace notify

#include "tools/notification_filter.hpp"

#include <algorithm>

namespace notify::ctl {

api_query filter_query(const cli::arguments& from) {
  api_query result;
  for (const auto& x : filter_options) {
    if (!from.has(x.name))
      continue;
    std::string name{x.name};
    std::replace(name.begin(), name.end(), '-', '_');
    result.emplace_back(name, from.at(x.name));
  }
  return result;
}

boost::json::object filter_object(const cli::arguments& from) {
  boost::json::object result;
  for (const auto& [name, value] : filter_query(from))
    result[name] = value;
  return result;
}

} // namespace notify::ctl

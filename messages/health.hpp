#pragma once

#include <caf/meta/type_name.hpp>

#include <string>
#include <vector>

namespace notify {

/// One thing that health depends on.
struct health_check {
  std::string check; ///< Stable name, e.g. `postgres`, `kafka`.
  bool ok = true;
  std::string reason;            ///< Why it is not; safe to show.
  int64_t since_success_ms = -1; ///< Age of the loop's last success; negative: unknown or no loop.
};

/// How the process is, for load balancers and service managers.
struct health_report {
  bool live = true;  ///< False: only a restart helps.
  bool ready = true; ///< False: send no work here for now.
  std::vector<health_check> checks;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, health_check& x) {
  return f(caf::meta::type_name("health_check"), x.check, x.ok, x.reason, x.since_success_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, health_report& x) {
  return f(caf::meta::type_name("health_report"), x.live, x.ready, x.checks);
}

} // namespace notify

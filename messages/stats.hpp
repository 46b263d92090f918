#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// Asks the stats collector for its last figures. Never a query of its own.
struct get_stats {};

/// How many notifications of one channel are in one status now.
struct job_count {
  std::string channel;
  std::string status; ///< One of the contract's six.
  int64_t count = 0;
};

/// What the tables look like, some seconds old.
struct stats_report {
  int64_t taken_at_us = 0; ///< Microseconds since 1970, UTC; 0: nothing is known yet.
  std::string failure;     ///< Why the figures are older than they should be; empty: they are not.
  std::vector<job_count> jobs;                ///< What is not listed is 0.
  std::map<std::string, double> oldest_due_s; ///< By channel: how long its oldest due job waits.
  std::map<std::string, double> figures;      ///< Everything else, by stable names.
};

/// Internal timer of the stats collector.
struct stats_tick {};

/// Internal timer of the job listener: look at the connection.
struct listen_tick {};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_stats&) {
  return f(caf::meta::type_name("get_stats"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, job_count& x) {
  return f(caf::meta::type_name("job_count"), x.channel, x.status, x.count);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stats_report& x) {
  return f(caf::meta::type_name("stats_report"), x.taken_at_us, x.failure, x.jobs, x.oldest_due_s,
           x.figures);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stats_tick&) {
  return f(caf::meta::type_name("stats_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, listen_tick&) {
  return f(caf::meta::type_name("listen_tick"));
}

} // namespace notify

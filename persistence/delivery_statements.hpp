#pragma once

#include <string>

namespace notify {

/// The statements that move jobs between queue, leases and their end, each one a transaction of
/// its own except for the last two. Stores take them as an argument so that tests can prove that
/// the checks of the whole notice a statement that is wrong; the service always uses the defaults.
struct delivery_statements {
  /// The statements of the service.
  delivery_statements();

  std::string claim_jobs;
  std::string renew_leases;
  std::string release_jobs;
  std::string reserve_sends;
  std::string pause_channel;
  std::string resume_channel;
  std::string record_attempts;
  std::string reap_leases;
  std::string mark_late_success; ///< First half of one transaction.
  std::string leave_queue;       ///< Second half, if the first one changed the job.
};

} // namespace notify

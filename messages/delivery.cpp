#include "messages/delivery.hpp"

#include <numeric>

namespace notify {

std::string idempotency_key(const delivery_job& job) {
  auto id = to_string(job.job_id);
  // Without a dot: a `webhook-id` may not have one.
  return job.key_no == 0 ? id : id + "-r" + std::to_string(job.key_no);
}

std::string to_string(next_step x) {
  switch (x) {
  case next_step::sent:
    return "sent";
  case next_step::retry:
    return "retry";
  case next_step::dead:
    return "dead";
  }
  return "invalid";
}

uint64_t count_dead(const reap_report& x) {
  return std::accumulate(x.dead.begin(), x.dead.end(), uint64_t{0},
                         [](auto sum, const auto& jobs) { return sum + jobs.second; });
}

} // namespace notify

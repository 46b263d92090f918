#include "messages/delivery.hpp"

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

} // namespace notify

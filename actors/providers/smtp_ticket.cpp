#include "actors/providers/smtp_ticket.hpp"

#include <algorithm>
#include <utility>

namespace notify {

smtp_ticket::~smtp_ticket() {
  finish_at(smtp_event::failed, "the send was dropped");
}

bool smtp_ticket::enter(send_phase next) {
  std::unique_lock guard{mutex_};
  if (!done_)
    return false;
  if (clock::now() < deadline_) {
    phase_ = next;
    return true;
  }
  guard.unlock();
  expire();
  return false;
}

caf::timespan smtp_ticket::limit(caf::timespan step) const {
  auto left = std::chrono::duration_cast<caf::timespan>(deadline_ - clock::now());
  return std::clamp(left, caf::timespan{0}, step);
}

void smtp_ticket::set_bytes_sent(uint64_t count) {
  std::lock_guard guard{mutex_};
  bytes_sent_ = count;
}

uint64_t smtp_ticket::bytes_sent() const {
  std::lock_guard guard{mutex_};
  return bytes_sent_;
}

void smtp_ticket::finish(outcome result) {
  std::unique_lock guard{mutex_};
  auto done = std::exchange(done_, nullptr);
  guard.unlock();
  if (done)
    done(std::move(result));
}

void smtp_ticket::stop() {
  finish_at(smtp_event::stopped, "the service is stopping");
}

void smtp_ticket::expire() {
  finish_at(smtp_event::timed_out, "the deadline of the whole send has passed");
}

void smtp_ticket::finish_at(smtp_event what, const char* text) {
  std::unique_lock guard{mutex_};
  auto done = std::exchange(done_, nullptr);
  smtp_ending ending;
  ending.phase = phase_;
  ending.event = what;
  ending.text = text;
  ending.bytes_sent = bytes_sent_;
  guard.unlock();
  if (!done)
    return;
  auto result = classify_smtp(ending);
  if (ending.phase == send_phase::none && what == smtp_event::timed_out) {
    result.reason = "smtp_pool_busy";
    result.detail = "no connection was free before the deadline";
  }
  done(std::move(result));
}

} // namespace notify

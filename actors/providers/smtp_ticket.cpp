#include "actors/providers/smtp_ticket.hpp"

#include <utility>

namespace notify {

smtp_ticket::~smtp_ticket() {
  finish_at(smtp_event::failed, "the send was dropped");
}

bool smtp_ticket::enter(send_phase next) {
  std::lock_guard guard{mutex_};
  if (!done_)
    return false;
  phase_ = next;
  return true;
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

void smtp_ticket::finish_at(smtp_event what, const char* text) {
  std::unique_lock guard{mutex_};
  auto done = std::exchange(done_, nullptr);
  smtp_ending ending;
  ending.phase = phase_;
  ending.event = what;
  ending.text = text;
  ending.bytes_sent = bytes_sent_;
  guard.unlock();
  if (done)
    done(classify_smtp(ending));
}

} // namespace notify

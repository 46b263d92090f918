#pragma once

#include "actors/providers/provider.hpp"
#include "actors/providers/smtp_classifier.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace notify {

/// A message and its envelope, ready for the wire.
struct outgoing_mail {
  std::string from;
  std::string to;
  std::string message; ///< Header and body, not yet dot-stuffed.
  bool needs_smtputf8 = false;
};

/// One send from the call to its answer. Whoever finishes it first wins, later ones change
/// nothing, so `done` runs exactly once, also if the I/O threads end in the middle.
///
/// It is the gate in front of every phase: a session that may not enter the next one must not
/// send another byte. That is why an answer given from outside (at `stop`, or past the deadline)
/// is true: once it says "not accepted", the final dot can no longer go out. Thread-safe.
class smtp_ticket {
public:
  using clock = std::chrono::steady_clock;

  /// `deadline` is for the whole send: the wait for a connection, the dialogue and the answer.
  smtp_ticket(outgoing_mail mail, clock::time_point deadline, provider::completion done)
      : mail_(std::move(mail)), deadline_(deadline), done_(std::move(done)) {}

  /// Answers for a send that nobody works on any more.
  ~smtp_ticket();

  smtp_ticket(const smtp_ticket&) = delete;
  smtp_ticket& operator=(const smtp_ticket&) = delete;

  const outgoing_mail& mail() const { return mail_; }

  clock::time_point deadline() const { return deadline_; }

  /// How long a step may take: its own limit, or what is left of the deadline if that is less.
  caf::timespan limit(caf::timespan step) const;

  /// Begins `next`. False if the send was answered meanwhile, or is now because its deadline has
  /// passed.
  [[nodiscard]] bool enter(send_phase next);

  /// Counts bytes of the message as handed to the kernel.
  void set_bytes_sent(uint64_t count);

  uint64_t bytes_sent() const;

  /// Gives the answer, outside of any lock.
  void finish(outcome result);

  /// Gives the answer for an orderly stop at whatever phase was reached.
  void stop();

  /// Gives the answer for a deadline that has passed at whatever phase was reached. A send that
  /// has begun nothing was waiting for a connection.
  void expire();

private:
  void finish_at(smtp_event what, const char* text);

  const outgoing_mail mail_;
  const clock::time_point deadline_;
  mutable std::mutex mutex_;
  provider::completion done_; ///< Empty once called.
  send_phase phase_ = send_phase::none;
  uint64_t bytes_sent_ = 0;
};

} // namespace notify

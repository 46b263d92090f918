#pragma once

#include "actors/providers/smtp_lookup.hpp"
#include "actors/providers/smtp_session.hpp"
#include "actors/providers/smtp_ticket.hpp"
#include "actors/providers/smtp_tls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace notify {

/// What a pool holds right now, for metrics and tests.
struct smtp_pool_gauge {
  size_t busy = 0;       ///< Connections with a mail in flight, or on their way out.
  size_t idle = 0;       ///< Connections kept for the next mail.
  size_t waiting = 0;    ///< Mails without a connection yet.
  uint64_t sessions = 0; ///< Started so far.
};

/// Shares at most `max_connections` sessions among the mails. A mail takes the session that was
/// used last, else opens one, else waits its turn, at most until its deadline; callers bound how
/// many wait. Thread-safe; each session runs on its own strand of `io`. Kept alive by its sessions'
/// work.
class smtp_pool : public std::enable_shared_from_this<smtp_pool> {
public:
  smtp_pool(boost::asio::io_context& io, smtp_config config, tls_context_ptr tls,
            smtp_lookup look_up = {});

  void submit(std::shared_ptr<smtp_ticket> ticket);

  /// Answers every mail at once by the phase it reached, drops busy connections and says goodbye
  /// on idle ones. What is submitted later is answered at once.
  void stop();

  smtp_pool_gauge gauge() const;

private:
  using ticket_ptr = std::shared_ptr<smtp_ticket>;
  using session_ptr = std::shared_ptr<smtp_session>;

  struct idle_session {
    session_ptr session;
    uint64_t since = 0; ///< Tells one idle period from the next.
  };

  /// Sends `first` and then whatever waits, until there is nothing to do.
  boost::asio::awaitable<void> run(session_ptr session, ticket_ptr first);

  void start(session_ptr session, ticket_ptr ticket);

  /// The next mail for a session that is free; if there is none, keeps it or lets it go.
  ticket_ptr next(const session_ptr& session, bool keep);

  /// Sees to it that a mail is answered if it still waits then. `mutex_` is held.
  void watch_waiting(smtp_ticket::clock::time_point deadline);
  void on_waiting_deadline();

  void arm_idle_limit(const session_ptr& session, uint64_t since);
  void on_idle_limit(const session_ptr& session, uint64_t since);
  void on_exit(const session_ptr& session, const std::exception_ptr& error);
  void say_goodbye(session_ptr session);

  boost::asio::io_context& io_;
  const smtp_config config_;
  const tls_context_ptr tls_;
  const smtp_lookup look_up_;
  mutable std::mutex mutex_;
  std::map<session_ptr, ticket_ptr> busy_; ///< Their number and that of `idle_` are bounded.
  std::vector<idle_session> idle_;         ///< The last one was used last.
  std::deque<ticket_ptr> waiting_;
  boost::asio::steady_timer waiting_timer_;
  /// When that timer looks at `waiting_`: never after the earliest deadline in it.
  smtp_ticket::clock::time_point watched_until_ = smtp_ticket::clock::time_point::max();
  uint64_t idle_periods_ = 0;
  uint64_t sessions_ = 0;
  bool is_stopped_ = false;
};

} // namespace notify

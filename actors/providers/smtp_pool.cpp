#include "actors/providers/smtp_pool.hpp"

#include "messages/log.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace notify {

namespace asio = boost::asio;

smtp_pool::smtp_pool(asio::io_context& io, smtp_config config, tls_context_ptr tls,
                     smtp_lookup look_up)
    : io_(io), config_(std::move(config)), tls_(std::move(tls)), look_up_(std::move(look_up)),
      waiting_timer_(io) {}

void smtp_pool::submit(ticket_ptr ticket) {
  std::unique_lock guard{mutex_};
  if (is_stopped_) {
    guard.unlock();
    ticket->stop();
    return;
  }
  session_ptr session;
  if (!idle_.empty()) {
    session = std::move(idle_.back().session);
    idle_.pop_back();
  } else if (busy_.size() < config_.max_connections) {
    session = std::make_shared<smtp_session>(asio::make_strand(io_), config_, *tls_, look_up_);
    ++sessions_;
  } else {
    watch_waiting(ticket->deadline());
    waiting_.push_back(std::move(ticket));
    return;
  }
  busy_[session] = ticket;
  guard.unlock();
  start(std::move(session), std::move(ticket));
}

void smtp_pool::start(session_ptr session, ticket_ptr ticket) {
  auto strand = session->strand();
  asio::co_spawn(strand, run(session, std::move(ticket)),
                 [self = shared_from_this(), session](std::exception_ptr error) {
                   self->on_exit(session, error);
                 });
}

asio::awaitable<void> smtp_pool::run(session_ptr session, ticket_ptr first) {
  auto self = shared_from_this();
  for (auto ticket = std::move(first); ticket != nullptr;) {
    auto result = co_await session->deliver(*ticket);
    if (session->is_reusable()) {
      // Free the session first, so that a mail submitted from within `done` finds it.
      auto following = next(session, true);
      ticket->finish(std::move(result));
      ticket = std::move(following);
    } else {
      ticket->finish(std::move(result));
      co_await session->say_goodbye();
      ticket = next(session, false);
    }
  }
}

smtp_pool::ticket_ptr smtp_pool::next(const session_ptr& session, bool keep) {
  std::unique_lock guard{mutex_};
  if (is_stopped_)
    return nullptr;
  if (!waiting_.empty()) {
    auto ticket = std::move(waiting_.front());
    waiting_.pop_front();
    busy_[session] = ticket;
    return ticket;
  }
  busy_.erase(session);
  if (!keep)
    return nullptr;
  auto since = ++idle_periods_;
  // Before the session is on offer: whoever takes it cancels the timer on the strand.
  arm_idle_limit(session, since);
  idle_.push_back({session, since});
  return nullptr;
}

void smtp_pool::watch_waiting(smtp_ticket::clock::time_point deadline) {
  if (deadline >= watched_until_)
    return;
  watched_until_ = deadline;
  waiting_timer_.expires_at(deadline);
  waiting_timer_.async_wait([pool = weak_from_this()](boost::system::error_code error) {
    auto self = pool.lock();
    if (!error && self)
      self->on_waiting_deadline();
  });
}

void smtp_pool::on_waiting_deadline() {
  std::unique_lock guard{mutex_};
  auto now = smtp_ticket::clock::now();
  auto is_in_time = [now](const ticket_ptr& x) { return x->deadline() > now; };
  auto first_late = std::stable_partition(waiting_.begin(), waiting_.end(), is_in_time);
  std::vector<ticket_ptr> late{std::make_move_iterator(first_late),
                               std::make_move_iterator(waiting_.end())};
  waiting_.erase(first_late, waiting_.end());
  watched_until_ = smtp_ticket::clock::time_point::max();
  auto is_earlier = [](const auto& a, const auto& b) { return a->deadline() < b->deadline(); };
  auto earliest = std::min_element(waiting_.begin(), waiting_.end(), is_earlier);
  if (earliest != waiting_.end())
    watch_waiting((*earliest)->deadline());
  guard.unlock();
  for (auto& ticket : late)
    ticket->expire();
}

void smtp_pool::arm_idle_limit(const session_ptr& session, uint64_t since) {
  session->idle_timer().expires_after(config_.max_idle);
  session->idle_timer().async_wait(
      asio::bind_executor(session->strand(), [pool = weak_from_this(), session,
                                              since](boost::system::error_code error) {
        auto self = pool.lock();
        if (!error && self)
          self->on_idle_limit(session, since);
      }));
}

void smtp_pool::on_idle_limit(const session_ptr& session, uint64_t since) {
  std::unique_lock guard{mutex_};
  auto is_due = [&](const idle_session& x) { return x.session == session && x.since == since; };
  auto found = std::find_if(idle_.begin(), idle_.end(), is_due);
  if (found == idle_.end())
    return;
  idle_.erase(found);
  guard.unlock();
  say_goodbye(session);
}

void smtp_pool::on_exit(const session_ptr& session, const std::exception_ptr& error) {
  if (!error)
    return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& x) {
    log::error("smtp", "a session failed", {{"error", x.what()}});
  }
  // Its mail is answered as dropped, and the next one gets a fresh session.
  std::unique_lock guard{mutex_};
  auto lost = busy_.extract(session);
  ticket_ptr following;
  if (!is_stopped_ && !lost.empty() && !waiting_.empty()) {
    following = std::move(waiting_.front());
    waiting_.pop_front();
  }
  guard.unlock();
  session->abort();
  if (following)
    submit(std::move(following));
}

void smtp_pool::say_goodbye(session_ptr session) {
  auto strand = session->strand();
  asio::co_spawn(
      strand, [session]() -> asio::awaitable<void> { return session->say_goodbye(); },
      // The session reads the pool's settings.
      [self = shared_from_this(), session](std::exception_ptr) {});
}

void smtp_pool::stop() {
  std::unique_lock guard{mutex_};
  is_stopped_ = true;
  auto waiting = std::exchange(waiting_, {});
  auto busy = std::exchange(busy_, {});
  auto idle = std::exchange(idle_, {});
  guard.unlock();
  for (auto& [session, ticket] : busy) {
    ticket->stop();
    asio::dispatch(session->strand(), [session = session] { session->abort(); });
  }
  for (auto& ticket : waiting)
    ticket->stop();
  for (auto& x : idle)
    say_goodbye(std::move(x.session));
}

smtp_pool_gauge smtp_pool::gauge() const {
  std::lock_guard guard{mutex_};
  return {busy_.size(), idle_.size(), waiting_.size(), sessions_};
}

} // namespace notify

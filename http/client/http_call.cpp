#include "http/client/http_call.hpp"

#include "messages/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

namespace asio = boost::asio;
namespace wire = boost::beast::http;

namespace {

/// Longer ones would overflow the clock.
constexpr caf::timespan longest_deadline = std::chrono::hours{24};

bool is_end(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::error::connection_reset
         || error == asio::error::broken_pipe || error == asio::error::connection_aborted
         || error == asio::ssl::error::stream_truncated;
}

} // namespace

http_call::http_call(std::shared_ptr<http_client_core> core, plan what,
                     std::shared_ptr<http_ticket> ticket)
    : core_(std::move(core)), plan_(std::move(what)), ticket_(std::move(ticket)),
      strand_(asio::make_strand(core_->io)), deadline_(strand_), step_limit_(strand_) {}

http_call::~http_call() {
  core_->remove(this);
}

void http_call::start() {
  asio::co_spawn(strand_, run(), [self = shared_from_this()](const std::exception_ptr& error) {
    self->on_exit(error);
  });
}

void http_call::stop() {
  ticket_->finish(http_event::stopped, "the service is stopping");
  asio::dispatch(strand_, [self = shared_from_this()] { self->abort(); });
}

void http_call::abort() {
  is_aborted_ = true;
  if (lookup_)
    lookup_->timer.cancel();
  if (connection_)
    connection_->close();
}

// -- from the first step to the answer ----------------------------------------

asio::awaitable<void> http_call::run() {
  arm_deadline();
  conclude(co_await attempt());
}

http_call::awaitable<http_call::step> http_call::attempt() {
  connection_ = core_->pool->take(plan_.url.origin());
  for (auto is_reused = connection_ != nullptr;; is_reused = false) {
    step end;
    if (!is_reused)
      end = co_await open();
    if (!end)
      end = co_await exchange(is_reused);
    // If a kept connection died before it took a single byte, nothing was sent: a new one sends
    // the request for the first time. In all other cases it would be for the second.
    if (!is_reused || is_aborted_ || ticket_->is_on_wire())
      co_return end;
    connection_->close();
    // Whatever was read there was no answer to this request.
    ticket_->forget_answer();
    unread_.clear();
  }
}

http_call::awaitable<http_call::step> http_call::exchange(bool is_reused) {
  using namespace asio::experimental::awaitable_operators;
  ticket_->use_connection(is_reused, connection_->is_encrypted());
  if (is_aborted_ || !ticket_->enter(send_phase::send_headers))
    co_return interrupted();
  ++connection_->requests;
  connection_->use(ticket_);
  auto [write_end, read_end] = co_await (write() && read());
  // The reader knows better: it sees the answer, and why the connection ended.
  co_return read_end;
}

http_call::awaitable<http_call::step> http_call::write() {
  auto error = co_await connection_->write(*ticket_);
  // The reader goes on: a peer that refuses to read the rest may have said why. But there is
  // nothing to say to no byte at all.
  if (error && !ticket_->is_on_wire())
    connection_->close();
  if (error)
    co_return trouble{http_event::failed, error.message()};
  co_return std::nullopt;
}

http_call::awaitable<http_call::step> http_call::read() {
  auto end = co_await read_answer();
  if (!end)
    ticket_->set_body_complete();
  // A refusal before the request's end: the rest is not wanted. A success before it is none yet.
  auto is_refused = ticket_->status() >= 300 && !ticket_->is_request_complete();
  if (end || is_refused)
    connection_->close();
  co_return end;
}

// -- the answer ---------------------------------------------------------------

http_call::awaitable<http_call::step> http_call::read_answer() {
  begin_answer();
  for (;;) {
    if (auto end = parse())
      co_return end;
    if (parser_->is_done() && !parser_->is_interim())
      co_return std::nullopt;
    if (parser_->is_done())
      begin_answer();
    else if (auto end = co_await read_more())
      co_return end;
    if (parser_->is_done())
      co_return std::nullopt;
  }
}

void http_call::begin_answer() {
  http_answer_limits limits{core_->config.max_head_bytes, core_->config.max_body_bytes};
  parser_.emplace(*ticket_, limits, plan_.is_head);
}

/// Waits for more of the answer. The end of the connection may complete it.
http_call::awaitable<http_call::step> http_call::read_more() {
  auto error = co_await connection_->read(unread_);
  if (is_aborted_)
    co_return interrupted();
  if (error)
    co_return on_end(error);
  if (!ticket_->enter(send_phase::read_reply))
    co_return interrupted();
  // Even if the head is never completed, the caller shall know the status.
  if (auto status = parser_->is_header_done() ? 0 : peek_status(unread_); status >= 200)
    ticket_->set_status(status);
  co_return std::nullopt;
}

http_call::step http_call::parse() {
  error_code error;
  unread_.erase(0, parser_->take(unread_, error));
  if (!error)
    return std::nullopt;
  if (error == wire::error::body_limit)
    return trouble{http_event::answered, "the answer's body is too large"};
  // With a sound head the status decides, whatever the body is like.
  auto is_in_body = parser_->is_header_done();
  return trouble{is_in_body ? http_event::answered : http_event::malformed,
                 error == wire::error::header_limit ? "the answer's head is too large"
                                                    : "not HTTP: " + error.message()};
}

http_call::step http_call::on_end(const error_code& error) {
  if (!is_end(error))
    return trouble{http_event::failed, error.message()};
  error_code is_cut = error;
  if (error == asio::error::eof && parser_->got_some())
    parser_->put_eof(is_cut);
  if (!is_cut)
    return std::nullopt;
  if (error != asio::error::eof)
    return trouble{http_event::closed, error.message()};
  return trouble{http_event::closed,
                 parser_->got_some() ? "the answer was cut off" : "no answer before the end"};
}

// -- the end ------------------------------------------------------------------

void http_call::conclude(const step& end) {
  deadline_.cancel();
  step_limit_.cancel();
  if (connection_ && !end && !is_aborted_ && is_reusable())
    core_->pool->keep(std::exchange(connection_, nullptr));
  else if (connection_)
    connection_->close();
  // Before the answer, so that whoever hears it finds the connection free.
  core_->remove(this);
  if (end)
    ticket_->finish(end->event, end->text);
  else
    ticket_->finish(http_event::answered, {});
}

bool http_call::is_reusable() const {
  return ticket_->is_request_complete() && parser_->keep_alive() && unread_.empty()
         && connection_->requests < core_->config.max_requests_per_connection;
}

void http_call::on_exit(const std::exception_ptr& error) {
  if (!error)
    return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& x) {
    log::error("http-client", "a request failed", {{"error", x.what()}});
  }
  abort();
  conclude(trouble{http_event::failed, "an internal error"});
}

// -- clocks -------------------------------------------------------------------

void http_call::arm_deadline() {
  deadline_.expires_after(std::min(plan_.deadline, longest_deadline));
  deadline_.async_wait([weak = weak_from_this()](const error_code& error) {
    auto self = weak.lock();
    if (!error && self)
      self->on_deadline();
  });
}

void http_call::on_deadline() {
  abort();
  core_->remove(this);
  ticket_->finish(http_event::timed_out, "the deadline passed");
}

void http_call::limit_step(caf::timespan limit) {
  is_step_late_ = false;
  step_limit_.expires_after(std::min(limit, longest_deadline));
  step_limit_.async_wait([weak = weak_from_this(), step = ++step_](const error_code& error) {
    auto self = weak.lock();
    if (error || !self || self->step_ != step)
      return;
    self->is_step_late_ = true;
    if (self->connection_)
      self->connection_->close();
  });
}

bool http_call::end_step() {
  ++step_;
  step_limit_.cancel();
  return !is_step_late_;
}

} // namespace notify

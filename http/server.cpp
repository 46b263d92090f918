#include "http/server.hpp"

#include "http/connection.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

namespace notify::http {

namespace asio = boost::asio;
using asio::ip::tcp;

/// The listening socket and the list of connections; all of it on one strand.
class server_state : public std::enable_shared_from_this<server_state> {
public:
  server_state(asio::io_context& io, const http_config& config, dispatcher handle,
               answer_hook on_answer, tls_context_ptr tls)
      : io_(io), strand_(asio::make_strand(io)), acceptor_(strand_), slot_freed_(strand_),
        drain_timer_(strand_), settings_(std::make_shared<connection_settings>()) {
    settings_->limits = config;
    settings_->handle = std::move(handle);
    settings_->on_answer = std::move(on_answer);
    settings_->tls = std::move(tls);
    // Waited on until someone cancels it.
    slot_freed_.expires_at(asio::steady_timer::time_point::max());
  }

  caf::error listen() {
    boost::system::error_code failure;
    auto address = asio::ip::make_address(settings_->limits.address, failure);
    tcp::endpoint endpoint{address, settings_->limits.port};
    if (!failure)
      acceptor_.open(endpoint.protocol(), failure);
    if (!failure)
      acceptor_.set_option(asio::socket_base::reuse_address{true}, failure);
    if (!failure)
      acceptor_.bind(endpoint, failure);
    if (!failure)
      acceptor_.listen(asio::socket_base::max_listen_connections, failure);
    if (!failure)
      return caf::none;
    return caf::make_error(ec::listen_failed, "cannot listen on http.address "
                                                  + settings_->limits.address + ", http.port "
                                                  + std::to_string(settings_->limits.port) + ": "
                                                  + failure.message());
  }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void start() {
    asio::co_spawn(
        strand_, [self = shared_from_this()] { return self->accept_all(); }, asio::detached);
  }

  void stop(std::function<void()> done) {
    asio::post(strand_, [self = shared_from_this(), done = std::move(done)]() mutable {
      self->do_stop(std::move(done));
    });
  }

private:
  asio::awaitable<void> accept_all() {
    constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
    while (!stopping_) {
      if (connections_.size() >= settings_->limits.max_connections) {
        co_await make_room();
        continue;
      }
      auto [failure, socket] = co_await acceptor_.async_accept(asio::make_strand(io_), as_result);
      if (!failure)
        add(tcp::socket{std::move(socket)});
      else if (failure == asio::error::operation_aborted)
        co_return;
      else
        co_await pause_after(failure);
    }
  }

  /// Waits until a further client is there, then until it has room.
  asio::awaitable<void> make_room() {
    constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
    co_await acceptor_.async_wait(tcp::acceptor::wait_read, as_result);
    settings_->crowded = true;
    close_an_idle_one();
    if (!stopping_ && connections_.size() >= settings_->limits.max_connections)
      co_await slot_freed_.async_wait(as_result);
    settings_->crowded = false;
  }

  /// E.g. out of file descriptors: the next try would fail at once, too.
  asio::awaitable<void> pause_after(boost::system::error_code failure) {
    log::repeated(log::level::warning, "http", "cannot accept a connection",
                  {{"reason", failure.message()}});
    asio::steady_timer pause{strand_, std::chrono::milliseconds{100}};
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  void add(tcp::socket socket) {
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    auto id = ++last_id_;
    auto self = shared_from_this();
    auto on_gone = [self, id] { asio::post(self->strand_, [self, id] { self->remove(id); }); };
    auto fresh = std::make_shared<connection>(std::move(socket), settings_, std::move(on_gone));
    connections_.emplace(id, fresh);
    fresh->start();
  }

  void remove(uint64_t id) {
    connections_.erase(id);
    slot_freed_.cancel();
    finish_stop();
  }

  /// The oldest one: a client that sits on a connection gives way to one that has a request.
  void close_an_idle_one() {
    for (auto& [id, weak] : connections_) {
      auto x = weak.lock();
      if (!x || !x->idle())
        continue;
      x->finish();
      return;
    }
  }

  void do_stop(std::function<void()> done) {
    if (done)
      when_stopped_.push_back(std::move(done));
    if (!stopping_) {
      stopping_ = true;
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      slot_freed_.cancel();
      drain_timer_.expires_after(settings_->limits.drain_timeout);
      drain_timer_.async_wait([self = shared_from_this()](boost::system::error_code failure) {
        if (!failure)
          self->each([](connection& x) { x.abort(); });
      });
      each([](connection& x) { x.finish(); });
    }
    finish_stop();
  }

  template <class F>
  void each(F f) {
    for (auto& [id, weak] : connections_)
      if (auto x = weak.lock())
        f(*x);
  }

  void finish_stop() {
    if (!stopping_ || !connections_.empty())
      return;
    drain_timer_.cancel();
    for (auto& done : std::exchange(when_stopped_, {}))
      done();
  }

  asio::io_context& io_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer slot_freed_;
  asio::steady_timer drain_timer_;
  std::shared_ptr<connection_settings> settings_;
  std::map<uint64_t, std::weak_ptr<connection>> connections_; ///< Oldest first.
  std::vector<std::function<void()>> when_stopped_;
  uint64_t last_id_ = 0;
  bool stopping_ = false;
};

caf::expected<std::unique_ptr<server>> server::start(asio::io_context& io,
                                                     const http_config& config, dispatcher handle,
                                                     answer_hook on_answer) {
  auto tls = load_server_identity(config);
  if (!tls)
    return tls.error();
  auto is_encrypted = *tls != nullptr;
  auto state = std::make_shared<server_state>(io, config, std::move(handle), std::move(on_answer),
                                              std::move(*tls));
  if (auto err = state->listen())
    return err;
  auto port = state->port();
  state->start();
  log::info("http", "listening",
            {{"address", config.address}, {"port", port}, {"tls", is_encrypted}});
  return std::unique_ptr<server>{new server{std::move(state), port}};
}

server::server(std::shared_ptr<server_state> state, uint16_t port)
    : state_(std::move(state)), port_(port) {}

server::~server() {
  state_->stop({});
}

void server::stop(std::function<void()> done) {
  state_->stop(std::move(done));
}

} // namespace notify::http

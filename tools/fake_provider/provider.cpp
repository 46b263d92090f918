#include "tools/fake_provider/provider.hpp"

#include "tools/fake_provider/control.hpp"
#include "tools/fake_provider/http_provider.hpp"
#include "tools/fake_provider/script_json.hpp"
#include "tools/fake_provider/smtp_provider.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <stdexcept>
#include <thread>
#include <type_traits>

namespace notify::fake {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using service = asio::awaitable<void> (*)(tcp::socket, stage&);

/// Counts a connection for as long as it is served.
class counted {
public:
  explicit counted(size_t& counter) : counter_(counter) { ++counter_; }
  ~counted() { --counter_; }

  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

private:
  size_t& counter_;
};

asio::awaitable<void> serve_counted(tcp::socket socket, stage& shared, service serve) {
  counted one{shared.connections};
  co_await serve(std::move(socket), shared);
}

asio::awaitable<void> serve_all(tcp::acceptor& acceptor, stage& shared, service serve,
                                bool is_counted) {
  constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
  while (acceptor.is_open()) {
    auto [failed, socket] = co_await acceptor.async_accept(as_result);
    if (failed)
      continue;
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    auto run = is_counted ? serve_counted(std::move(socket), shared, serve)
                          : serve(std::move(socket), shared);
    asio::co_spawn(acceptor.get_executor(), std::move(run), asio::detached);
  }
}

tcp::acceptor listen(asio::io_context& io, const std::string& address, uint16_t port,
                     const char* what) {
  tcp::acceptor result{io};
  boost::system::error_code failed;
  tcp::endpoint endpoint{asio::ip::make_address(address, failed), port};
  if (!failed)
    result.open(endpoint.protocol(), failed);
  if (!failed)
    result.set_option(asio::socket_base::reuse_address{true}, failed);
  if (!failed)
    result.bind(endpoint, failed);
  if (!failed)
    result.listen(asio::socket_base::max_listen_connections, failed);
  if (failed)
    throw std::runtime_error(std::string{"cannot listen on "} + address + ", " + what + " port "
                             + std::to_string(port) + ": " + failed.message());
  return result;
}

} // namespace

struct provider::implementation {
  explicit implementation(const provider_config& config)
      : control_acceptor(listen(io, config.address, config.control_port, "control")),
        http_acceptor(listen(io, config.address, config.http_port, "HTTP")),
        smtp_acceptor(listen(io, config.address, config.smtp_port, "SMTP")) {
    shared.known = config.known;
    start(control_acceptor, serve_control, false);
    start(http_acceptor, serve_http, true);
    start(smtp_acceptor, serve_smtp, true);
    thread = std::thread{[this] { io.run(); }};
  }

  ~implementation() {
    io.stop();
    thread.join();
  }

  void start(tcp::acceptor& acceptor, service serve, bool is_counted) {
    asio::co_spawn(io, serve_all(acceptor, shared, serve, is_counted), asio::detached);
  }

  /// Runs `f` on the provider's thread and returns what it returns, or throws what it throws.
  template <class F>
  auto call(F f) {
    std::packaged_task<std::invoke_result_t<F>()> task{std::move(f)};
    auto result = task.get_future();
    asio::post(io, [&task] { task(); });
    return result.get();
  }

  // Outlives the context, whose end destroys connections that still look at it.
  stage shared;
  asio::io_context io{1};
  tcp::acceptor control_acceptor;
  tcp::acceptor http_acceptor;
  tcp::acceptor smtp_acceptor;
  std::thread thread;
};

provider::provider(const provider_config& config)
    : impl_(std::make_unique<implementation>(config)) {}

provider::~provider() = default;

uint16_t provider::control_port() const {
  return impl_->control_acceptor.local_endpoint().port();
}

uint16_t provider::http_port() const {
  return impl_->http_acceptor.local_endpoint().port();
}

uint16_t provider::smtp_port() const {
  return impl_->smtp_acceptor.local_endpoint().port();
}

void provider::set_script(std::string_view json) {
  auto rules = read_script(json);
  impl_->call([&] { impl_->shared.rules.replace(std::move(rules)); });
}

std::vector<record> provider::records() const {
  return impl_->call([&] {
    const auto& x = impl_->shared.log.records();
    return std::vector<record>(x.begin(), x.end());
  });
}

std::vector<tally> provider::tallies() const {
  return impl_->call([&] { return impl_->shared.log.tallies(); });
}

size_t provider::waiting() const {
  return impl_->call([&] { return impl_->shared.room.size(); });
}

size_t provider::release(const std::string& key, size_t most) {
  return impl_->call([&] { return impl_->shared.room.release(key, most); });
}

void provider::clear() {
  impl_->call([&] {
    impl_->shared.log.clear();
    impl_->shared.keys.clear();
  });
}

boost::json::object provider::state() const {
  return impl_->call([&] { return state_of(impl_->shared); });
}

} // namespace notify::fake

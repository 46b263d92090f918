#include "tools/fake_provider/http_peer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

namespace notify::fake {

namespace asio = boost::asio;
namespace wire = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr uint64_t longest_body = 64u << 20u;

wire::response<wire::string_body> to_wire(const http_answer& answer, const http_request& to) {
  wire::response<wire::string_body> result;
  result.version(to.version());
  result.result(answer.status);
  for (const auto& [name, value] : answer.headers)
    result.insert(name, value);
  // HTTP allows none of both with 204, and none of the second with 304.
  auto has_body = answer.status != 204 && answer.status != 304 && answer.status >= 200;
  if (has_body && to.method() != wire::verb::head)
    result.body() = answer.body;
  if (has_body && result.count(wire::field::content_length) == 0)
    result.content_length(answer.body.size());
  result.keep_alive(to.keep_alive());
  return result;
}

} // namespace

asio::awaitable<std::optional<http_request>> http_peer::read() {
  wire::request_parser<wire::string_body> parser;
  parser.body_limit(longest_body);
  auto [failed, count] = co_await wire::async_read(socket_, buffer_, parser, as_result);
  if (failed)
    co_return std::nullopt;
  co_return parser.release();
}

asio::awaitable<bool> http_peer::write(const http_answer& answer, const http_request& to,
                                       std::chrono::milliseconds drip) {
  auto message = to_wire(answer, to);
  wire::response_serializer<wire::string_body> serializer{message};
  if (drip.count() == 0) {
    auto [failed, count] = co_await wire::async_write(socket_, serializer, as_result);
    co_return !failed && message.keep_alive();
  }
  auto [failed, count] = co_await wire::async_write_header(socket_, serializer, as_result);
  if (failed)
    co_return false;
  auto written = co_await write_slowly(message.body(), drip);
  co_return written&& message.keep_alive();
}

asio::awaitable<bool> http_peer::write_slowly(std::string body, std::chrono::milliseconds drip) {
  for (const auto& byte : body) {
    co_await pause(socket_, drip);
    auto [failed, count] = co_await asio::async_write(socket_, asio::buffer(&byte, 1), as_result);
    if (failed)
      co_return false;
  }
  co_return true;
}

void end_connection(tcp::socket& socket, bool by_reset) {
  boost::system::error_code ignored;
  if (by_reset)
    socket.set_option(asio::socket_base::linger{true, 0}, ignored);
  else
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  socket.close(ignored);
}

asio::awaitable<void> pause(tcp::socket& socket, std::chrono::milliseconds time) {
  if (time.count() == 0)
    co_return;
  asio::steady_timer timer{socket.get_executor(), time};
  co_await timer.async_wait(as_result);
}

} // namespace notify::fake

#include "http/connection.hpp"

#include "messages/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <sstream>

namespace notify::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// RFC 9110's form, e.g. "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale.
std::string http_date() {
  constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  auto now = std::time(nullptr);
  std::tm x{};
  gmtime_r(&now, &x);
  char text[80];
  std::snprintf(text, sizeof(text), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                days.at(static_cast<size_t>(x.tm_wday)), x.tm_mday,
                months.at(static_cast<size_t>(x.tm_mon)), x.tm_year + 1900, x.tm_hour, x.tm_min,
                x.tm_sec);
  return text;
}

/// What a client is told about a request that cannot be read; nothing if nobody listens any more.
std::optional<response> refusal_of(beast::error_code err) {
  if (err == wire::error::header_limit)
    return error_response(431, "HEADERS_TOO_LARGE", "The request's header is too large.");
  if (err == wire::error::body_limit)
    return error_response(413, "PAYLOAD_TOO_LARGE", "The request's body is too large.");
  if (err == wire::error::partial_message
      || err.category() != wire::make_error_code(wire::error::end_of_stream).category())
    return std::nullopt;
  return error_response(400, "BAD_REQUEST", "This is not a valid HTTP request.");
}

/// What the parser lets through but HTTP does not.
std::optional<response> check(const wire::request<wire::string_body>& x) {
  if (x.version() != 10 && x.version() != 11)
    return error_response(400, "BAD_REQUEST", "Only HTTP/1.0 and HTTP/1.1 are spoken here.");
  if (x.version() == 11 && x.count(wire::field::host) != 1)
    return error_response(400, "BAD_REQUEST", "A request needs exactly one Host header.");
  if (x.target().empty() || x.target().front() != '/')
    return error_response(400, "BAD_REQUEST", "The request target must be a path.");
  return std::nullopt;
}

request to_request(wire::request<wire::string_body>&& x) {
  request result;
  result.method = std::string{x.method_string()};
  auto target = std::string{x.target()};
  auto mark = target.find('?');
  result.path = target.substr(0, mark);
  if (mark != std::string::npos)
    result.query = target.substr(mark + 1);
  for (const auto& header : x)
    result.headers.emplace_back(std::string{header.name_string()}, std::string{header.value()});
  result.body = std::move(x.body());
  return result;
}

/// A page of ours may load what is ours; everything else is data and loads nothing.
const char* content_policy(std::string_view content_type) {
  if (content_type.starts_with("text/html"))
    return "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
           "object-src 'none'";
  return "default-src 'none'; frame-ancestors 'none'";
}

wire::response<wire::string_body> to_wire(response&& x, unsigned version, bool keep_alive,
                                          bool with_body) {
  wire::response<wire::string_body> result{wire::int_to_status(x.status), version};
  result.result(x.status);
  result.set(wire::field::server, "notifyd");
  result.set(wire::field::date, http_date());
  result.set(wire::field::cache_control, "no-store");
  result.set("X-Content-Type-Options", "nosniff");
  result.set("X-Frame-Options", "DENY");
  result.set("Referrer-Policy", "no-referrer");
  result.set("Content-Security-Policy", content_policy(x.content_type));
  if (!x.body.empty())
    result.set(wire::field::content_type, x.content_type);
  for (const auto& [name, value] : x.headers)
    result.set(name, value);
  result.keep_alive(keep_alive);
  result.content_length(x.body.size());
  if (with_body)
    result.body() = std::move(x.body);
  return result;
}

} // namespace

connection::connection(asio::ip::tcp::socket socket,
                       std::shared_ptr<const connection_settings> settings,
                       std::function<void()> on_gone)
    : stream_(std::move(socket)), answer_timer_(stream_.get_executor()),
      settings_(std::move(settings)), on_gone_(std::move(on_gone)) {
  beast::error_code failure;
  auto peer = stream_.socket().remote_endpoint(failure);
  if (!failure)
    peer_ = peer.address().to_string();
  if (settings_->tls)
    tls_.emplace(stream_, *settings_->tls);
}

connection::~connection() {
  on_gone_();
}

void connection::start() {
  asio::co_spawn(
      stream_.get_executor(), [self = shared_from_this()] { return self->run(); },
      [](const std::exception_ptr& cause) {
        if (!cause)
          return;
        try {
          std::rethrow_exception(cause);
        } catch (const std::exception& x) {
          log::error("http", "a connection failed", {{"reason", x.what()}});
        }
      });
}

void connection::finish() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->finishing_ = true;
    if (self->idle_)
      self->close();
  });
}

void connection::abort() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->aborted_ = true;
    self->answer_timer_.cancel();
    self->close();
  });
}

asio::awaitable<void> connection::run() {
  auto more = co_await shake_hands();
  auto is_good = more;
  while (more)
    more = co_await serve_one();
  if (is_good && !aborted_)
    co_await say_goodbye();
  close();
}

asio::awaitable<bool> connection::shake_hands() {
  if (!tls_)
    co_return true;
  // Like waiting for a request: whoever does not get on with it gives way to others.
  idle_ = true;
  stream_.expires_after(settings_->limits.read_timeout);
  auto [failure] = co_await tls_->async_handshake(asio::ssl::stream_base::server, as_result);
  idle_ = false;
  if (failure)
    log::debug("http", "a TLS handshake failed", {{"peer", peer_}, {"reason", failure.message()}});
  co_return !failure && !finishing_ && !aborted_;
}

asio::awaitable<void> connection::say_goodbye() {
  if (!tls_ || !stream_.socket().is_open())
    co_return;
  stream_.expires_after(
      std::min<caf::timespan>(settings_->limits.read_timeout, std::chrono::seconds{1}));
  co_await tls_->async_shutdown(as_result);
}

// Beast's own operations on whole messages are not used: for two kinds of streams they take the
// compiler a minute, and this server needs no more than to read some bytes and to write some.

asio::awaitable<beast::error_code> connection::read_some() {
  auto space = buffer_.prepare(4096);
  auto [failure, count] = tls_ ? co_await tls_->async_read_some(space, as_result)
                               : co_await stream_.async_read_some(space, as_result);
  buffer_.commit(count);
  co_return failure;
}

asio::awaitable<beast::error_code> connection::write(std::string_view head, std::string_view body) {
  std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(body)};
  auto [failure, count] = tls_ ? co_await asio::async_write(*tls_, parts, as_result)
                               : co_await asio::async_write(stream_, parts, as_result);
  co_return failure;
}

asio::awaitable<beast::error_code> connection::feed(parser_type& parser,
                                                    bool (parser_type::*is_done)() const) {
  while (!(parser.*is_done)()) {
    auto failure = wire::make_error_code(wire::error::need_more);
    if (buffer_.size() > 0)
      buffer_.consume(parser.put(buffer_.data(), failure));
    if (failure == wire::error::need_more)
      failure = co_await read_some();
    if (failure)
      co_return failure;
  }
  co_return beast::error_code{};
}

asio::awaitable<bool> connection::serve_one() {
  auto has_request = co_await wait_for_request();
  if (!has_request)
    co_return false;
  parser_type parser;
  auto failure = co_await read_request(parser);
  exchange about;
  about.arrived = clock::now();
  about.version = parser.get().version() == 10 ? 10u : 11u;
  auto refusal = failure ? refusal_of(failure) : check(parser.get());
  if (failure && !refusal)
    co_return false;
  if (refusal) {
    auto written = co_await write_answer(std::move(*refusal), about, false);
    if (written)
      co_await linger();
    co_return false;
  }
  about.with_body = parser.get().method() != wire::verb::head;
  auto is_known_method = parser.get().method() != wire::verb::unknown;
  auto wants_more = parser.keep_alive();
  auto asked = to_request(parser.release());
  asked.peer = peer_;
  auto answer = co_await ask_handler(asked);
  if (aborted_)
    co_return false;
  served_ = true;
  about.method = is_known_method ? asked.method : "other";
  about.route = std::move(asked.route);
  auto keep_alive = wants_more && !finishing_ && !settings_->crowded;
  auto written = co_await write_answer(std::move(answer), about, keep_alive);
  co_return written&& keep_alive;
}

asio::awaitable<bool> connection::wait_for_request() {
  if (buffer_.size() > 0)
    co_return true;
  if (finishing_ || aborted_)
    co_return false;
  idle_ = true;
  // In this order: either the server sees that this one is idle, or this one sees that it has to
  // give way.
  if (served_ && settings_->crowded)
    co_return false;
  stream_.expires_after(settings_->limits.idle_timeout);
  auto failure = co_await read_some();
  idle_ = false;
  co_return !failure;
}

asio::awaitable<beast::error_code> connection::read_request(parser_type& parser) {
  const auto& limits = settings_->limits;
  parser.header_limit(static_cast<uint32_t>(limits.header_limit));
  parser.body_limit(limits.body_limit);
  // One deadline for all of the request, so that a client cannot send a byte at a time for ever.
  stream_.expires_after(limits.read_timeout);
  auto failure = co_await feed(parser, &parser_type::is_header_done);
  // RFC 9110, 10.1.1: not for HTTP/1.0, which knows no such answers.
  if (!failure && parser.get().version() == 11
      && beast::iequals(parser.get()[wire::field::expect], "100-continue"))
    failure = co_await write("HTTP/1.1 100 Continue\r\n\r\n", {});
  if (failure)
    co_return failure;
  parser.eager(true);
  co_return co_await feed(parser, &parser_type::is_done);
}

asio::awaitable<response> connection::ask_handler(request& x) {
  answer_.reset();
  ++request_number_;
  answer_timer_.expires_after(settings_->limits.answer_timeout);
  try {
    settings_->handle(x, make_responder());
  } catch (const std::exception& failure) {
    log::error("http", "a handler threw", {{"path", x.path}, {"reason", failure.what()}});
    answer_ = error_response(500, "INTERNAL_ERROR", "Something went wrong here.");
  }
  if (!answer_ && !aborted_)
    co_await answer_timer_.async_wait(as_result);
  if (!answer_)
    answer_ = error_response(503, "UNAVAILABLE", "The service did not answer in time.");
  ++request_number_;
  co_return std::move(*answer_);
}

responder connection::make_responder() {
  // Weak: an answer may come after the connection, the server and their I/O context are gone.
  return [weak = weak_from_this(), number = request_number_](response answer) {
    auto self = weak.lock();
    if (!self)
      return;
    auto executor = self->stream_.get_executor();
    asio::post(executor, [self = std::move(self), number, answer = std::move(answer)]() mutable {
      self->on_answer(number, std::move(answer));
    });
  };
}

void connection::on_answer(uint64_t number, response answer) {
  if (number != request_number_ || answer_)
    return;
  answer_ = std::move(answer);
  answer_timer_.cancel();
}

asio::awaitable<bool> connection::write_answer(response answer, const exchange& about,
                                               bool keep_alive) {
  auto status = answer.status;
  auto bytes = answer.body.size();
  auto message = to_wire(std::move(answer), about.version, keep_alive, about.with_body);
  stream_.expires_after(settings_->limits.read_timeout);
  std::ostringstream head;
  head << message.base();
  auto failure = co_await write(head.view(), message.body());
  if (settings_->on_answer) {
    std::chrono::duration<double> taken = clock::now() - about.arrived;
    settings_->on_answer({about.route, about.method, status, taken.count(), bytes});
  }
  co_return !failure;
}

asio::awaitable<void> connection::linger() {
  constexpr size_t enough = size_t{256} * 1024;
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(
      std::min<caf::timespan>(settings_->limits.read_timeout, std::chrono::seconds{2}));
  std::array<char, 4096> scratch{};
  for (size_t total = 0; total < enough;) {
    auto [failure, count] = co_await stream_.async_read_some(asio::buffer(scratch), as_result);
    if (failure)
      co_return;
    total += count;
  }
}

void connection::close() {
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

} // namespace notify::http

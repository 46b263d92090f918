#include "actors/providers/smtp_transport.hpp"

#include "actors/providers/smtp_tls.hpp"
#include "http/client/http_tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>

#include <array>
#include <utility>

#include <sys/socket.h>

namespace notify {

namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

smtp_trouble trouble_of(const beast::error_code& error) {
  if (error == beast::error::timeout)
    return {smtp_event::timed_out, "no answer in time"};
  auto is_end = error == asio::error::eof || error == asio::error::connection_reset
                || error == asio::error::broken_pipe || error == asio::error::connection_aborted
                || error == asio::ssl::error::stream_truncated;
  return {is_end ? smtp_event::closed : smtp_event::failed, error.message()};
}

/// True if the handshake failed because of what the relay's certificate says.
bool is_untrusted(SSL* ssl, const beast::error_code& error) {
  return error.category() == asio::error::get_ssl_category()
         && SSL_get_verify_result(ssl) != X509_V_OK;
}

} // namespace

smtp_transport::smtp_transport(asio::any_io_executor strand, asio::ssl::context& tls)
    : tcp_(std::move(strand)), tls_context_(tls) {}

smtp_transport::awaitable<smtp_transport::step> smtp_transport::resolve(const std::string& host,
                                                                        uint16_t port,
                                                                        const smtp_lookup& look_up,
                                                                        caf::timespan limit) {
  auto shared = std::make_shared<lookup>(tcp_.get_executor());
  lookup_ = shared;
  shared->timer.expires_after(limit);
  auto strand = tcp_.get_executor();
  auto on_found = [shared](const beast::error_code& error, const auto& endpoints) {
    shared->is_done = true;
    shared->error = error;
    shared->endpoints.assign(endpoints.begin(), endpoints.end());
    shared->timer.cancel();
  };
  // Either way the handler runs on our strand: not before this coroutine waits.
  if (look_up)
    look_up(host, port, [strand, on_found](const auto& error, auto endpoints) {
      asio::post(strand, [on_found, error, endpoints = std::move(endpoints)] {
        on_found(error, endpoints);
      });
    });
  else
    shared->resolver.async_resolve(host, std::to_string(port),
                                   asio::bind_executor(strand, on_found));
  co_await shared->timer.async_wait(as_values);
  if (shared->is_cancelled)
    co_return smtp_trouble{smtp_event::failed, "interrupted"};
  if (!shared->is_done) {
    shared->resolver.cancel();
    co_return smtp_trouble{smtp_event::timed_out, "the name was not resolved in time"};
  }
  if (shared->error == asio::error::host_not_found)
    co_return smtp_trouble{smtp_event::not_found, shared->error.message()};
  if (shared->error)
    co_return smtp_trouble{smtp_event::failed, shared->error.message()};
  co_return std::nullopt;
}

smtp_transport::awaitable<smtp_transport::step> smtp_transport::connect(caf::timespan limit) {
  tcp_.expires_after(limit);
  auto [error, endpoint] = co_await tcp_.async_connect(lookup_->endpoints, as_values);
  if (error)
    co_return trouble_of(error);
  // Replies are waited for one by one: a delayed small segment would cost its full delay.
  beast::error_code ignored;
  tcp_.socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
  co_return std::nullopt;
}

smtp_transport::awaitable<smtp_transport::step> smtp_transport::start_tls(const std::string& host,
                                                                          caf::timespan limit) {
  unread_.clear();
  tls_.emplace(tcp_, tls_context_);
  if (!expect_host(tls_->native_handle(), host))
    co_return smtp_trouble{smtp_event::failed, "TLS has no use for this host name"};
  tcp_.expires_after(limit);
  auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::client, as_values);
  if (!error)
    co_return std::nullopt;
  if (!is_untrusted(tls_->native_handle(), error))
    co_return trouble_of(error);
  auto why = SSL_get_verify_result(tls_->native_handle());
  co_return smtp_trouble{smtp_event::untrusted, X509_verify_cert_error_string(why)};
}

void smtp_transport::set_deadline(caf::timespan limit) {
  tcp_.expires_after(limit);
}

smtp_transport::awaitable<smtp_transport::step> smtp_transport::write(std::string_view bytes,
                                                                      size_t& written) {
  auto buffer = asio::buffer(bytes.data(), bytes.size());
  beast::error_code error;
  if (tls_)
    std::tie(error, written) = co_await asio::async_write(*tls_, buffer, as_values);
  else
    std::tie(error, written) = co_await asio::async_write(tcp_, buffer, as_values);
  if (error)
    co_return trouble_of(error);
  co_return std::nullopt;
}

smtp_transport::awaitable<smtp_answer> smtp_transport::read_reply() {
  std::array<char, 2048> chunk;
  for (;;) {
    auto parsed = parse_smtp_reply(unread_);
    if (parsed.state == smtp_parse_state::malformed)
      co_return smtp_answer{smtp_event::malformed, {}, "the relay does not speak SMTP"};
    if (parsed.state == smtp_parse_state::complete) {
      unread_.erase(0, parsed.consumed);
      co_return smtp_answer{smtp_event::reply, std::move(parsed.reply), {}};
    }
    beast::error_code error;
    size_t count = 0;
    if (tls_)
      std::tie(error, count) = co_await tls_->async_read_some(asio::buffer(chunk), as_values);
    else
      std::tie(error, count) = co_await tcp_.async_read_some(asio::buffer(chunk), as_values);
    if (error)
      co_return smtp_answer::from(trouble_of(error));
    unread_.append(chunk.data(), count);
  }
}

bool smtp_transport::has_unread() {
  if (!unread_.empty())
    return true;
  beast::error_code error;
  // Under TLS the bytes may be of its own, such as a session ticket.
  return !tls_ && tcp_.socket().available(error) > 0;
}

bool smtp_transport::is_readable() {
  char byte = 0;
  auto count = ::recv(tcp_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  auto is_silent = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return !unread_.empty() || !is_silent;
}

bool smtp_transport::is_loopback() const {
  beast::error_code error;
  auto peer = tcp_.socket().remote_endpoint(error);
  if (error)
    return false;
  auto address = peer.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

void smtp_transport::close() {
  if (lookup_ && !lookup_->is_done) {
    lookup_->is_cancelled = true;
    lookup_->resolver.cancel();
    lookup_->timer.cancel();
  }
  beast::error_code ignored;
  tcp_.socket().close(ignored);
}

} // namespace notify

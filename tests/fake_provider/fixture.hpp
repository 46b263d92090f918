#pragma once

#include "tests/http/client.hpp"
#include "tools/fake_provider/provider.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>
#include <vector>

namespace notify::fake::test {

using http::test::client;
using http::test::reply;

/// A POST with a body, as bytes for the wire.
std::string post(const std::string& path, const std::string& body,
                 const std::string& more_headers = {});

/// What Resend takes, with an Idempotency-Key.
std::string resend_mail(const std::string& key, const std::string& subject = "Hello");

/// A telegram to chat 42.
std::string telegram(const std::string& text = "Hello");

/// Sends one request on a connection of its own and reads its answer.
reply ask(uint16_t port, const std::string& bytes);

/// A mail client that says lines and reads replies.
class mail_client {
public:
  explicit mail_client(uint16_t port);

  void say(const std::string& line);

  /// A reply with all its lines, joined by '|'; empty if the connection ended.
  std::string hear();

  std::string ask(const std::string& line);

  /// Greeting to the end of the mail; what is heard to the final dot.
  std::string send_mail(const std::string& id, const std::string& to = "anna@example.com");

  /// As `send_mail`, but reads nothing after the final dot.
  void send_without_hearing(const std::string& id, const std::string& to = "anna@example.com");

  /// True if the end of the connection was a reset and not an orderly close.
  bool was_reset() const { return was_reset_; }

private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string unread_;
  bool was_reset_ = false;
};

} // namespace notify::fake::test

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace notify::fake {

/// The server's side of one SMTP connection: lines in, replies out.
class smtp_peer {
public:
  explicit smtp_peer(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  /// A command without its line end; nothing once the connection is over.
  boost::asio::awaitable<std::optional<std::string>> read_line();

  /// A mail up to its final dot, as it was before dots were doubled.
  boost::asio::awaitable<std::optional<std::string>> read_mail();

  /// Says a reply; several lines, parted by '\n', get the code of the first. False if the
  /// connection is over.
  boost::asio::awaitable<bool> say(std::string_view reply);

  boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
  boost::asio::awaitable<bool> fill();

  boost::asio::ip::tcp::socket socket_;
  std::string unread_;
};

/// The reply as it goes on the wire. The code is the first three characters.
std::string reply_lines(std::string_view reply);

/// The value of a mail's header field, unfolded and trimmed; empty if it has none.
std::string header_field(std::string_view mail, std::string_view name);

/// The text between the first '<' and the '>' behind it, or all of it.
std::string between_brackets(std::string_view text);

/// True if `line` begins with `word` in any case.
bool is_command(std::string_view line, std::string_view word);

} // namespace notify::fake

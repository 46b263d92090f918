#pragma once

#include "actors/providers/smtp_classifier.hpp"
#include "actors/providers/smtp_lookup.hpp"
#include "actors/providers/smtp_reply.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <caf/timespan.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// Why a step on the wire failed.
struct smtp_trouble {
  smtp_event event = smtp_event::failed;
  std::string text;
};

/// A reply, or why there is none (then `event` is not `reply`).
struct smtp_answer {
  smtp_event event = smtp_event::reply;
  smtp_reply reply;
  std::string text;

  bool is(int severity) const { return event == smtp_event::reply && reply.severity() == severity; }

  static smtp_answer from(smtp_trouble trouble) {
    return {trouble.event, {}, std::move(trouble.text)};
  }
};

/// One TCP connection to a relay, plain or under TLS, that speaks in lines and replies. Knows
/// nothing of SMTP's order. Lives on one strand: every member is called there, one operation at a
/// time, except that `close` may interrupt it.
class smtp_transport {
public:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  /// Empty if the step worked.
  using step = std::optional<smtp_trouble>;

  smtp_transport(boost::asio::any_io_executor strand, boost::asio::ssl::context& tls);

  /// Looks up the relay, with `look_up` if it is not empty. The limit holds although the system's
  /// resolver cannot be interrupted.
  awaitable<step> resolve(const std::string& host, uint16_t port, const smtp_lookup& look_up,
                          caf::timespan limit);

  /// Tries the addresses found, one after the other, within one limit.
  awaitable<step> connect(caf::timespan limit);

  /// Drops whatever was received so far, so that nothing said in plain text counts under TLS,
  /// and shakes hands.
  awaitable<step> start_tls(const std::string& host, caf::timespan limit);

  /// Starts the clock for everything until the next call; when it runs out the connection closes.
  void set_deadline(caf::timespan limit);

  /// Writes all of `bytes`; `written` tells how many the kernel took, exact without TLS.
  awaitable<step> write(std::string_view bytes, size_t& written);

  awaitable<smtp_answer> read_reply();

  /// True if something arrived that nobody has asked for yet. Without TLS this looks into the
  /// socket too.
  bool has_unread();

  /// True if an idle connection is dead or has something to say: readable in any way.
  bool is_readable();

  bool is_encrypted() const { return tls_.has_value(); }
  bool is_loopback() const;

  /// Ends whatever waits. No further operation may start.
  void close();

private:
  struct lookup {
    explicit lookup(const boost::asio::any_io_executor& strand) : resolver(strand), timer(strand) {}

    boost::asio::ip::tcp::resolver resolver;
    boost::asio::steady_timer timer;
    boost::system::error_code error;
    std::vector<boost::asio::ip::tcp::endpoint> endpoints;
    bool is_done = false;
    bool is_cancelled = false;
  };

  boost::beast::tcp_stream tcp_;
  boost::asio::ssl::context& tls_context_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
  std::shared_ptr<lookup> lookup_; ///< Shared with the resolver, which may outlive this object.
  std::string unread_;
};

} // namespace notify

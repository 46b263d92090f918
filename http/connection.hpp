#pragma once

#include "http/config.hpp"
#include "http/message.hpp"
#include "http/server_identity.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace notify::http {

/// What all connections of one server share.
struct connection_settings {
  http_config limits;
  dispatcher handle;
  answer_hook on_answer; ///< May be empty.
  tls_context_ptr tls;   ///< Null: no TLS.
  /// A client waits for a connection to end: none is kept alive.
  mutable std::atomic<bool> crowded = false;
};

/// One client's connection: reads requests one after the other, asks the handler, writes answers.
/// Its coroutine keeps it alive; everything private runs on the socket's strand.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// `on_gone` runs when the object dies, on whichever thread lets go of it last.
  connection(boost::asio::ip::tcp::socket socket,
             std::shared_ptr<const connection_settings> settings, std::function<void()> on_gone);
  ~connection();

  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  void start();

  /// True while it waits for the next request.
  bool idle() const { return idle_; }

  /// Closes it now if it is idle; otherwise after the answer in progress. Thread-safe.
  void finish();

  /// Closes it now, whatever it does. Thread-safe.
  void abort();

private:
  using clock = std::chrono::steady_clock;

  /// What is to be known of a request when its answer is written.
  struct exchange {
    unsigned version = 11;
    bool with_body = true; ///< False for HEAD.
    std::string method;
    std::string route;
    clock::time_point arrived;
  };

  using parser_type = boost::beast::http::request_parser<boost::beast::http::string_body>;

  boost::asio::awaitable<void> run();

  /// Agrees on TLS; false if the client does not.
  boost::asio::awaitable<bool> shake_hands();

  /// Tells a TLS client that nothing is missing behind the last answer.
  boost::asio::awaitable<void> say_goodbye();

  /// Adds what the client sent, decrypted if need be, to the buffer.
  boost::asio::awaitable<boost::beast::error_code> read_some();

  /// Writes both parts, the one after the other.
  boost::asio::awaitable<boost::beast::error_code> write(std::string_view head,
                                                         std::string_view body);

  /// Gives the parser what the client sends until it has seen all of the header or of the message.
  boost::asio::awaitable<boost::beast::error_code> feed(parser_type& parser,
                                                        bool (parser_type::*is_done)() const);

  /// Serves one request; false if the connection is to be closed.
  boost::asio::awaitable<bool> serve_one();

  /// Waits for the first bytes of a request.
  boost::asio::awaitable<bool> wait_for_request();

  /// Reads a request; on failure the answer that tells the client why, if one is due.
  boost::asio::awaitable<boost::beast::error_code> read_request(parser_type& parser);

  /// Lets the handler answer, within the time-out.
  boost::asio::awaitable<response> ask_handler(request& x);

  /// Writes the answer and reports it; false if it did not reach the client.
  boost::asio::awaitable<bool> write_answer(response answer, const exchange& about,
                                            bool keep_alive);

  /// Gives the client time to read a refusal before the socket closes on unread bytes, which would
  /// reset the connection and could destroy the answer under way.
  boost::asio::awaitable<void> linger();

  responder make_responder();
  void on_answer(uint64_t number, response answer);
  void close();

  boost::beast::tcp_stream stream_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_; ///< On top of it.
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer answer_timer_;
  std::shared_ptr<const connection_settings> settings_;
  std::function<void()> on_gone_;
  std::string peer_;
  std::optional<response> answer_;
  uint64_t request_number_ = 0; ///< An answer to another request came too late.
  std::atomic<bool> idle_ = false;
  bool served_ = false; ///< At least one request.
  bool finishing_ = false;
  bool aborted_ = false;
};

} // namespace notify::http

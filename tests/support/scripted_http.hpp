#pragma once

#include "tests/support/scripted_server.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify::test {

/// One request as a server saw it.
struct received_request {
  size_t connection = 0; ///< The connection it came on, counted from 0.
  std::string head;      ///< Request line and headers exactly as they came, with the empty line.
  std::string body;      ///< As much of it as came.
  bool is_complete = false;

  std::string method() const;
  std::string target() const;

  /// The first value of a header; empty if there is none.
  std::string header(std::string_view name) const;

  /// How often a header is there.
  size_t count(std::string_view name) const;
};

class scripted_http;

/// What a script works on.
struct http_peer {
  scripted_http& server;
  scripted_peer& wire;
  received_request& request; ///< The last one on this connection.
  size_t place = 0;          ///< Where the server keeps it.
};

/// One step of a script; false ends the connection.
using http_step = std::function<bool(http_peer&)>;
using http_script = std::vector<http_step>;

using header_list = std::vector<std::pair<std::string, std::string>>;

/// Steps of an HTTP server.
namespace web {

/// Reads one request, with the body that its Content-Length announces.
http_step take_request();

/// Reads a request's head and leaves the body in the socket.
http_step take_head();

/// Says exactly these bytes.
http_step say(std::string bytes);

/// Says an answer with its Content-Length.
http_step answer(int status, std::string body = {}, header_list headers = {});

/// Says what the function makes of the last request.
http_step answer_with(std::function<std::string(const received_request&)> make);

/// Says an answer in chunks.
http_step answer_in_chunks(int status, std::vector<std::string> chunks, header_list headers = {});

/// Says these bytes one by one with a distance, until the client leaves.
http_step drip(std::string bytes, std::chrono::milliseconds distance);

/// Says these bytes again and again until the client leaves.
http_step flood(std::string bytes);

/// Reads on until the client leaves; what comes counts as the last request's body.
http_step drain();

http_step start_tls();
http_step close();

/// Ends the connection without TLS's own goodbye.
http_step cut();
http_step reset();

/// Neither reads nor says anything until the client leaves.
http_step freeze();

/// Waits for the test to set the promise.
http_step wait_for(std::shared_future<void> signal);

/// Slows the server down.
http_step delay(std::chrono::milliseconds time);

/// Several steps as one.
http_step all(http_script steps);

/// The same steps again and again, until one ends the connection.
http_step repeat(http_script steps);

/// Gives this answer to every request.
http_step serve(int status = 200, std::string body = "ok", header_list headers = {});

/// The bytes of an answer.
std::string answer_text(int status, const std::string& body, const header_list& headers = {});

} // namespace web

/// An HTTP server on a loopback address that follows a script per connection, in the order of
/// their arrival; the last script serves all later ones too. For refusals, silence, drips, floods
/// and lost connections at any point. Keeps every request that reached it.
class scripted_http {
public:
  explicit scripted_http(std::vector<http_script> scripts, const std::string& address = "127.0.0.1",
                         uint16_t port = 0);
  explicit scripted_http(http_script script)
      : scripted_http(std::vector<http_script>{std::move(script)}) {}

  uint16_t port() const { return server_.port(); }

  /// A URL of this server, e.g. `http://127.0.0.1:4711/path`.
  std::string url(const std::string& path = "/", const std::string& scheme = "http") const;

  /// Before the first connection: what `start_tls` steps present; 0: any version of TLS.
  void use_identity(const test_identity& identity, int newest_version = 0) {
    server_.use_identity(identity, newest_version);
  }

  /// Every request whose head came, in order of arrival.
  std::vector<received_request> requests() const;

  /// Their number, complete or not.
  size_t count() const;

  size_t connections() const { return server_.connections(); }
  size_t open_connections() const { return server_.open_connections(); }

  /// Makes `request` a new one of the list; its place there.
  size_t begin(const received_request& request);

  /// Keeps what came of it later.
  void update(size_t place, const received_request& request);

private:
  void serve(size_t number, scripted_peer& peer);

  std::vector<http_script> scripts_;
  std::string host_;
  mutable std::mutex mutex_;
  std::vector<received_request> requests_;
  scripted_server server_; ///< The last one: its threads use all others.
};

} // namespace notify::test

#pragma once

#include "http/router.hpp"
#include "http/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace notify::http::test {

/// An answer as it came over the wire.
struct reply {
  int status = 0;
  std::map<std::string, std::string> headers; ///< Names in lower case.
  std::string body;
};

/// A client that sends exactly the bytes it is told to.
class client {
public:
  explicit client(uint16_t port);

  void send(const std::string& bytes);

  /// Sends a GET for `path`.
  void get(const std::string& path, const std::string& more_headers = {});

  /// Reads one answer; status 0 if the connection ends before.
  reply read(bool with_body = true);

  /// Reads to the end of the connection; true if nothing more came.
  bool is_closed();

private:
  /// Reads until the buffer contains `text`; its end, or npos.
  size_t read_until(const std::string& text);
  bool read_more();

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string buffer_;
};

/// A server on a free loopback port with two I/O threads.
struct server_fixture {
  server_fixture();
  ~server_fixture();

  /// Starts with `config` and `routes` as they are now.
  void start();

  /// Stops and waits until the last connection is gone.
  void stop();

  http_config config;
  router routes;
  boost::asio::io_context io;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
  std::vector<std::thread> threads;
  std::unique_ptr<server> running;
};

} // namespace notify::http::test

#pragma once

#include "tests/support/test_identity.hpp"

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace notify::test {

/// The server's side of one connection; blocking, on a thread of its own. A call that is false
/// means that the connection is over.
class scripted_peer {
public:
  scripted_peer(int fd, SSL_CTX* tls) : fd_(fd), tls_(tls) {}
  ~scripted_peer();

  scripted_peer(const scripted_peer&) = delete;
  scripted_peer& operator=(const scripted_peer&) = delete;

  bool say(std::string_view bytes);

  /// Reads what comes next to the end of `unread`.
  bool fill();

  /// Forgets what was received in plain text, and shakes hands.
  bool start_tls();

  /// Ends the connection in good order, under TLS too.
  void close();

  /// Ends it without a word of TLS.
  void cut();

  /// Makes the end a reset.
  void reset();

  /// Says nothing until the client leaves; takes nothing out of the socket either.
  void freeze();

  /// Waits that long; false as soon as the client leaves.
  bool wait(std::chrono::milliseconds time);

  std::string& unread() { return unread_; }

private:
  int fd_;
  SSL_CTX* tls_;
  SSL* ssl_ = nullptr;
  std::string unread_;
};

/// Listens on a loopback address and serves each connection on a thread of its own.
class scripted_server {
public:
  /// Serves the connection with this number, counted from 0.
  using server = std::function<void(size_t number, scripted_peer& peer)>;

  /// Port 0: any that is free.
  scripted_server(const std::string& address, server serve, uint16_t port = 0);

  /// Ends all connections and waits for their threads.
  ~scripted_server();

  uint16_t port() const { return port_; }

  /// Before the first connection: what `start_tls` presents; 0: any version of TLS.
  void use_identity(const test_identity& identity, int newest_version = 0);

  size_t connections() const;
  size_t open_connections() const;

  /// True once the end has begun: then a lost connection is no surprise.
  bool is_stopped() const { return is_stopped_; }

private:
  void accept_all();
  void run(size_t number, int fd);
  void join_finished();

  server serve_;
  std::shared_ptr<SSL_CTX> tls_;
  int listener_ = -1;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::atomic<bool> is_stopped_ = false;
  size_t connections_ = 0;
  std::map<size_t, int> open_;
  std::map<size_t, std::thread> peers_;
  std::vector<std::thread> finished_;
  std::thread acceptor_;
};

} // namespace notify::test

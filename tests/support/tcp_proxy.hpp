#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

namespace notify::test {

/// A loopback port in front of another one, with faults of the network on demand. All of its work
/// is done by one thread of its own.
class tcp_proxy {
public:
  /// Forwards to this port of 127.0.0.1.
  explicit tcp_proxy(uint16_t upstream);
  ~tcp_proxy();

  tcp_proxy(const tcp_proxy&) = delete;
  tcp_proxy& operator=(const tcp_proxy&) = delete;

  uint16_t port() const { return port_; }

  /// Ends all connections, and each new one at once.
  void cut() { order(mode::cut); }

  /// Nothing passes any more and nobody is told: connections stay, the kernel acknowledges what
  /// comes, new connections are taken.
  void freeze() { order(mode::frozen); }

  /// As `freeze`, and for the connections of this time there is no way back: they stay open and
  /// silent even after `restore`, which lets only new ones through.
  void half_open() { order(mode::half_open); }

  /// Works again. What was frozen goes on where it stopped.
  void restore() { order(mode::forwarding); }

  /// Connections that are open on the client's side.
  size_t connections() const { return open_; }

  /// The URL of a PostgreSQL server with this proxy in place of its host and port.
  std::string in_front_of(const std::string& url) const;

private:
  enum class mode : uint8_t { forwarding, cut, frozen, half_open };

  /// One direction of a connection: read from one end, not written to the other yet.
  struct pipe {
    std::string pending;
    bool ended = false;
  };

  struct link {
    int client = -1;
    int server = -1;
    pipe up;
    pipe down;
    bool dead = false; ///< Silent for ever.
  };

  void order(mode x);
  void run();
  void take_order();
  void accept_one();
  void connect_server(link& x) const;
  bool pass_on(int from, int to, pipe& x, bool readable) const;
  void close_link(link& x);

  uint16_t upstream_;
  uint16_t port_ = 0;
  int listener_ = -1;
  int wake_ = -1;
  std::atomic<mode> wanted_ = mode::forwarding;
  std::atomic<bool> stopping_ = false;
  std::atomic<uint64_t> asked_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::atomic<size_t> open_ = 0;
  mode now_ = mode::forwarding;
  std::list<link> links_;
  std::thread thread_;
};

/// The port in a URL such as `postgresql://user@127.0.0.1:5432/db`.
uint16_t port_of(const std::string& url);

} // namespace notify::test

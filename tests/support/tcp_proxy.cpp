#include "tests/support/tcp_proxy.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <vector>

namespace notify::test {

namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error{"tcp_proxy: " + what};
}

void make_ready(int socket) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/// Where host and port begin and end in a URL.
std::pair<size_t, size_t> authority(const std::string& url) {
  auto begin = url.find("://");
  if (begin == std::string::npos)
    fail("not a URL: " + url);
  begin += 3;
  auto end = url.find_first_of("/?", begin);
  if (end == std::string::npos)
    end = url.size();
  auto at = url.rfind('@', end);
  if (at != std::string::npos && at >= begin)
    begin = at + 1;
  return {begin, end};
}

} // namespace

uint16_t port_of(const std::string& url) {
  auto [begin, end] = authority(url);
  auto colon = url.rfind(':', end);
  if (colon == std::string::npos || colon < begin)
    return 5432;
  return static_cast<uint16_t>(std::stoi(url.substr(colon + 1, end - colon - 1)));
}

std::string tcp_proxy::in_front_of(const std::string& url) const {
  auto [begin, end] = authority(url);
  auto result = url;
  return result.replace(begin, end - begin, "127.0.0.1:" + std::to_string(port_));
}

tcp_proxy::tcp_proxy(uint16_t upstream) : upstream_(upstream) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0
      || listen(listener_, 128) != 0
      || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("cannot listen");
  port_ = ntohs(address.sin_port);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0)
    fail("no eventfd");
  thread_ = std::thread{[this] { run(); }};
}

tcp_proxy::~tcp_proxy() {
  stopping_ = true;
  eventfd_write(wake_, 1);
  thread_.join();
  for (auto& x : links_)
    close_link(x);
  close(listener_);
  close(wake_);
}

void tcp_proxy::order(mode x) {
  wanted_ = x;
  auto mine = ++asked_;
  eventfd_write(wake_, 1);
  // When this returns nothing passes by the old rule any more.
  for (auto seen = done_.load(); seen < mine; seen = done_.load())
    done_.wait(seen);
}

void tcp_proxy::take_order() {
  eventfd_t ignored = 0;
  eventfd_read(wake_, &ignored);
  auto order_no = asked_.load();
  now_ = wanted_;
  for (auto& x : links_) {
    if (now_ == mode::half_open)
      x.dead = true;
    if (now_ == mode::cut)
      close_link(x);
    // A connection that came while everything stood still.
    else if (now_ == mode::forwarding && !x.dead && x.server < 0 && x.client >= 0)
      connect_server(x);
  }
  done_ = order_no;
  done_.notify_all();
}

void tcp_proxy::accept_one() {
  auto client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0)
    return;
  if (now_ == mode::cut) {
    close(client);
    return;
  }
  make_ready(client);
  auto& x = links_.emplace_back();
  x.client = client;
  x.dead = now_ == mode::half_open;
  ++open_;
  if (now_ == mode::forwarding)
    connect_server(x);
}

void tcp_proxy::connect_server(link& x) const {
  x.server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = loopback(upstream_);
  if (connect(x.server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    make_ready(x.server);
    return;
  }
  close(x.server);
  x.server = -1;
  // As the server itself would: the client sees the end of its connection.
  shutdown(x.client, SHUT_RDWR);
  x.up.ended = x.down.ended = true;
}

/// Moves what there is; false when the connection is over.
bool tcp_proxy::pass_on(int from, int to, pipe& x, bool readable) const {
  if (readable && x.pending.empty() && !x.ended) {
    std::array<char, 1 << 16> block{};
    auto size = recv(from, block.data(), block.size(), 0);
    if (size > 0)
      x.pending.assign(block.data(), static_cast<size_t>(size));
    else if (size == 0)
      x.ended = true;
    else if (errno != EAGAIN && errno != EINTR)
      return false;
  }
  if (!x.pending.empty()) {
    auto size = send(to, x.pending.data(), x.pending.size(), MSG_NOSIGNAL);
    if (size > 0)
      x.pending.erase(0, static_cast<size_t>(size));
    else if (size < 0 && errno != EAGAIN && errno != EINTR)
      return false;
  }
  // One direction's end ends both: neither PostgreSQL nor Kafka goes on half-closed.
  return !x.ended || !x.pending.empty();
}

void tcp_proxy::close_link(link& x) {
  if (x.client >= 0) {
    close(x.client);
    --open_;
  }
  if (x.server >= 0)
    close(x.server);
  x.client = x.server = -1;
}

void tcp_proxy::run() {
  while (!stopping_) {
    std::vector<pollfd> sources{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    std::vector<link*> active;
    if (now_ == mode::forwarding) {
      for (auto& x : links_) {
        if (x.dead || x.client < 0)
          continue;
        active.push_back(&x);
        auto wants = [](const pipe& in, const pipe& out) {
          return static_cast<short>((in.pending.empty() && !in.ended ? POLLIN : 0)
                                    | (out.pending.empty() ? 0 : POLLOUT));
        };
        sources.push_back({x.client, wants(x.up, x.down), 0});
        sources.push_back({x.server, wants(x.down, x.up), 0});
      }
    }
    if (poll(sources.data(), sources.size(), -1) < 0)
      continue;
    constexpr short input = POLLIN | POLLHUP | POLLERR;
    for (size_t i = 0; i < active.size(); ++i) {
      auto& x = *active[i];
      auto from_client = (sources[2 + 2 * i].revents & input) != 0;
      auto from_server = (sources[3 + 2 * i].revents & input) != 0;
      if (x.server < 0 || !pass_on(x.client, x.server, x.up, from_client)
          || !pass_on(x.server, x.client, x.down, from_server))
        close_link(x);
    }
    if (sources[1].revents != 0)
      accept_one();
    if (sources[0].revents != 0)
      take_order();
    links_.remove_if([](const link& x) { return x.client < 0; });
  }
}

} // namespace notify::test

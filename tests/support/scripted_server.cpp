#include "tests/support/scripted_server.hpp"

#include <csignal>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace notify::test {

// -- one connection -----------------------------------------------------------

scripted_peer::~scripted_peer() {
  if (ssl_ != nullptr)
    SSL_free(ssl_);
}

bool scripted_peer::say(std::string_view bytes) {
  while (!bytes.empty()) {
    auto count = ssl_ != nullptr
                     ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                     : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool scripted_peer::fill() {
  char chunk[4096];
  auto count = ssl_ != nullptr ? SSL_read(ssl_, chunk, sizeof(chunk))
                               : static_cast<int>(::recv(fd_, chunk, sizeof(chunk), 0));
  if (count <= 0)
    return false;
  unread_.append(chunk, static_cast<size_t>(count));
  return true;
}

bool scripted_peer::start_tls() {
  unread_.clear();
  ssl_ = SSL_new(tls_);
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

void scripted_peer::close() {
  if (ssl_ != nullptr)
    SSL_shutdown(ssl_);
  cut();
}

void scripted_peer::cut() {
  ::shutdown(fd_, SHUT_RDWR);
}

void scripted_peer::reset() {
  linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

void scripted_peer::freeze() {
  wait(std::chrono::milliseconds{-1});
}

bool scripted_peer::wait(std::chrono::milliseconds time) {
  pollfd waiting{fd_, POLLRDHUP, 0};
  return ::poll(&waiting, 1, static_cast<int>(time.count())) == 0;
}

// -- the server ---------------------------------------------------------------

namespace {

void require(bool holds, const char* what) {
  if (!holds)
    throw std::runtime_error(std::string{"scripted server: "} + what);
}

/// An address as the kernel takes it.
sockaddr_storage parse_address(const std::string& text, uint16_t port, socklen_t& size) {
  sockaddr_storage result{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    size = sizeof(*v4);
  } else {
    require(::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1, "not an address");
    v6->sin6_family = AF_INET6;
    size = sizeof(*v6);
  }
  // The port stands at the same place for both families.
  v4->sin_port = htons(port);
  return result;
}

} // namespace

scripted_server::scripted_server(const std::string& address, server serve, uint16_t port)
    : serve_(std::move(serve)) {
  socklen_t size = 0;
  auto place = parse_address(address, port, size);
  listener_ = ::socket(place.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // A small window, so that a server that does not read soon stops the sender.
  int window = 64 * 1024;
  ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
  auto* generic = reinterpret_cast<sockaddr*>(&place);
  require(::bind(listener_, generic, size) == 0 && ::listen(listener_, 64) == 0
              && ::getsockname(listener_, generic, &size) == 0,
          "cannot listen");
  port_ = ntohs(reinterpret_cast<sockaddr_in*>(&place)->sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

scripted_server::~scripted_server() {
  is_stopped_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  std::map<size_t, std::thread> peers;
  {
    std::lock_guard guard{mutex_};
    for (auto& [number, fd] : open_)
      ::shutdown(fd, SHUT_RDWR);
    peers = std::exchange(peers_, {});
  }
  for (auto& [number, peer] : peers)
    peer.join();
  join_finished();
  ::close(listener_);
}

void scripted_server::use_identity(const test_identity& identity, int newest_version) {
  tls_ = {SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
  require(
      SSL_CTX_use_certificate_file(tls_.get(), identity.certificate_file().c_str(),
                                   SSL_FILETYPE_PEM)
              == 1
          && SSL_CTX_use_PrivateKey_file(tls_.get(), identity.key_file().c_str(), SSL_FILETYPE_PEM)
                 == 1,
      "no identity");
  if (newest_version == 0)
    return;
  // The library's usual security level has no old versions.
  SSL_CTX_set_security_level(tls_.get(), 0);
  SSL_CTX_set_min_proto_version(tls_.get(), 0);
  SSL_CTX_set_max_proto_version(tls_.get(), newest_version);
}

void scripted_server::accept_all() {
  while (!is_stopped_) {
    auto fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      continue;
    // What is said is on its way, also right behind something else.
    int now = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
    join_finished();
    std::lock_guard guard{mutex_};
    auto number = connections_++;
    open_[number] = fd;
    peers_[number] = std::thread{[this, number, fd] { run(number, fd); }};
  }
}

/// So that thousands of connections, one after the other, are not thousands of threads.
void scripted_server::join_finished() {
  std::vector<std::thread> finished;
  {
    std::lock_guard guard{mutex_};
    finished = std::exchange(finished_, {});
  }
  for (auto& peer : finished)
    peer.join();
}

void scripted_server::run(size_t number, int fd) {
  // OpenSSL writes to sockets whose other end is gone.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  {
    scripted_peer peer{fd, tls_.get()};
    serve_(number, peer);
  }
  std::lock_guard guard{mutex_};
  open_.erase(number);
  ::close(fd);
  // Once the end has begun the destructor joins, and may have taken the thread already.
  if (auto self = peers_.extract(number); !self.empty())
    finished_.push_back(std::move(self.mapped()));
}

size_t scripted_server::connections() const {
  std::lock_guard guard{mutex_};
  return connections_;
}

size_t scripted_server::open_connections() const {
  std::lock_guard guard{mutex_};
  return open_.size();
}

} // namespace notify::test

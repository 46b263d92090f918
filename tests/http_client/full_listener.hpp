#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace notify::test {

/// A port on the loopback interface that takes no connection: its queue is full, so the kernel
/// drops what asks for one.
class full_listener {
public:
  full_listener() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    guest_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 0) != 0
        || ::getsockname(listener_, generic, &size) != 0 || ::connect(guest_, generic, size) != 0)
      throw std::runtime_error("full listener: cannot listen");
    port_ = ntohs(address.sin_port);
  }

  ~full_listener() {
    ::close(guest_);
    ::close(listener_);
  }

  full_listener(const full_listener&) = delete;
  full_listener& operator=(const full_listener&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

private:
  int listener_ = -1;
  int guest_ = -1; ///< Takes the only place.
  uint16_t port_ = 0;
};

} // namespace notify::test

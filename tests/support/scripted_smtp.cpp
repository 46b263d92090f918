#include "tests/support/scripted_smtp.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace notify::test {

std::string undo_dot_stuffing(std::string_view data) {
  std::string result;
  auto is_line_start = true;
  for (auto x : data) {
    if (!is_line_start || x != '.')
      result += x;
    is_line_start = x == '\n';
  }
  return result;
}

smtp_peer::~smtp_peer() {
  if (ssl_ != nullptr)
    SSL_free(ssl_);
}

bool smtp_peer::say(std::string_view bytes) {
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

bool smtp_peer::fill() {
  char chunk[4096];
  auto count = ssl_ != nullptr ? SSL_read(ssl_, chunk, sizeof(chunk))
                               : static_cast<int>(::recv(fd_, chunk, sizeof(chunk), 0));
  if (count <= 0)
    return false;
  unread_.append(chunk, static_cast<size_t>(count));
  return true;
}

bool smtp_peer::read_line(std::string& line) {
  size_t end = 0;
  while ((end = unread_.find("\r\n")) == std::string::npos)
    if (!fill())
      return false;
  line = unread_.substr(0, end);
  unread_.erase(0, end + 2);
  server_.note(line);
  return true;
}

bool smtp_peer::read_data(std::string& data) {
  for (;;) {
    // The dot may be the first line, so the search begins at the line end before it.
    auto text = "\r\n" + unread_;
    auto end = text.find("\r\n.\r\n");
    if (end != std::string::npos) {
      data = text.substr(std::min<size_t>(2, end), end < 2 ? 0 : end);
      unread_.erase(0, end + 3);
      return true;
    }
    if (!fill())
      return false;
  }
}

bool smtp_peer::start_tls() {
  unread_.clear();
  ssl_ = SSL_new(server_.tls());
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

void smtp_peer::close() {
  ::shutdown(fd_, SHUT_RDWR);
}

void smtp_peer::reset() {
  linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

void smtp_peer::freeze() {
  pollfd waiting{fd_, POLLRDHUP, 0};
  ::poll(&waiting, 1, -1);
}

scripted_smtp::scripted_smtp(std::vector<smtp_script> scripts) : scripts_(std::move(scripts)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A small window, so that a relay that does not read soon stops the sender.
  int window = 64 * 1024;
  ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0
      || ::getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("scripted SMTP: cannot listen");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

scripted_smtp::~scripted_smtp() {
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

void scripted_smtp::use_identity(const test_identity& identity) {
  tls_ = {SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
  if (SSL_CTX_use_certificate_file(tls_.get(), identity.certificate_file().c_str(),
                                   SSL_FILETYPE_PEM)
          != 1
      || SSL_CTX_use_PrivateKey_file(tls_.get(), identity.key_file().c_str(), SSL_FILETYPE_PEM)
             != 1)
    throw std::runtime_error("scripted SMTP: no identity");
}

void scripted_smtp::accept_all() {
  while (!is_stopped_) {
    auto fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      continue;
    // What is said is on its way, also right behind another reply.
    int now = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
    join_finished();
    std::lock_guard guard{mutex_};
    auto number = connections_++;
    open_[number] = fd;
    peers_[number] = std::thread{[this, number, fd] { serve(number, fd); }};
  }
}

/// So that thousands of connections, one after the other, are not thousands of threads.
void scripted_smtp::join_finished() {
  std::vector<std::thread> finished;
  {
    std::lock_guard guard{mutex_};
    finished = std::exchange(finished_, {});
  }
  for (auto& peer : finished)
    peer.join();
}

void scripted_smtp::serve(size_t number, int fd) {
  {
    smtp_peer peer{*this, fd};
    for (const auto& step : scripts_[std::min(number, scripts_.size() - 1)])
      if (!step(peer))
        break;
  }
  std::lock_guard guard{mutex_};
  open_.erase(number);
  ::close(fd);
  if (is_stopped_)
    return; // The destructor joins.
  auto self = peers_.extract(number);
  finished_.push_back(std::move(self.mapped()));
}

void scripted_smtp::keep(received_mail mail) {
  std::lock_guard guard{mutex_};
  mails_.push_back(std::move(mail));
}

void scripted_smtp::note(const std::string& command) {
  std::lock_guard guard{mutex_};
  commands_.push_back(command);
}

void scripted_smtp::fail(std::string what) {
  if (is_stopped_)
    return;
  std::lock_guard guard{mutex_};
  failures_.push_back(std::move(what));
}

std::vector<received_mail> scripted_smtp::mails() const {
  std::lock_guard guard{mutex_};
  return mails_;
}

std::vector<std::string> scripted_smtp::commands() const {
  std::lock_guard guard{mutex_};
  return commands_;
}

size_t scripted_smtp::count(std::string_view command_prefix) const {
  std::lock_guard guard{mutex_};
  return static_cast<size_t>(std::count_if(commands_.begin(), commands_.end(), [&](const auto& x) {
    return smtp::begins_with(x, command_prefix);
  }));
}

size_t scripted_smtp::connections() const {
  std::lock_guard guard{mutex_};
  return connections_;
}

size_t scripted_smtp::open_connections() const {
  std::lock_guard guard{mutex_};
  return open_.size();
}

std::vector<std::string> scripted_smtp::failures() const {
  std::lock_guard guard{mutex_};
  return failures_;
}

} // namespace notify::test

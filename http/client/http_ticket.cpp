#include "http/client/http_ticket.hpp"

#include "messages/safe_text.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace notify {

namespace {

constexpr size_t max_detail_size = 200;

/// True for ends that say less than a status that came before them.
bool yields_to_status(http_event x) {
  return x == http_event::closed || x == http_event::failed || x == http_event::timed_out
         || x == http_event::stopped;
}

} // namespace

http_ticket::http_ticket(std::string bytes, size_t head_size, completion done)
    : bytes_(std::move(bytes)), head_size_(head_size), done_(std::move(done)) {}

http_ticket::~http_ticket() {
  finish(http_event::failed, "the request was dropped");
}

bool http_ticket::enter(send_phase next) {
  std::lock_guard guard{mutex_};
  if (!done_)
    return false;
  result_.phase = next;
  return true;
}

void http_ticket::use_connection(bool is_reused, bool is_encrypted) {
  std::lock_guard guard{mutex_};
  result_.connection_reused = is_reused;
  is_encrypted_ = is_encrypted;
}

void http_ticket::expect_piece(size_t size) {
  std::lock_guard guard{mutex_};
  piece_ = size;
}

ssize_t http_ticket::send(int socket, const void* data, size_t size, bool is_last) {
  std::lock_guard guard{mutex_};
  if (!done_) {
    errno = ECANCELED;
    return -1;
  }
  auto taken = ::send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  // Before the request begins these are the bytes of a handshake.
  if (taken > 0 && result_.phase >= send_phase::send_headers)
    count(static_cast<size_t>(taken), is_last && static_cast<size_t>(taken) == size);
  return taken;
}

void http_ticket::count(size_t taken, bool is_drained) {
  is_on_wire_ = true;
  if (!is_encrypted_)
    result_.bytes_sent += taken;
  else if (is_drained)
    result_.bytes_sent += std::exchange(piece_, 0);
  auto& phase = result_.phase;
  if (result_.bytes_sent >= bytes_.size()) {
    result_.request_complete = true;
    phase = std::max(phase, send_phase::wait_reply);
  } else if (result_.bytes_sent >= head_size_) {
    phase = std::max(phase, send_phase::send_body);
  }
}

bool http_ticket::is_on_wire() const {
  std::lock_guard guard{mutex_};
  return is_on_wire_;
}

bool http_ticket::is_request_complete() const {
  std::lock_guard guard{mutex_};
  return result_.request_complete;
}

void http_ticket::set_status(int status) {
  std::lock_guard guard{mutex_};
  result_.status = status;
}

void http_ticket::set_headers(http_headers headers) {
  std::lock_guard guard{mutex_};
  result_.headers = std::move(headers);
}

void http_ticket::set_body_complete() {
  std::lock_guard guard{mutex_};
  result_.body_complete = true;
  result_.phase = send_phase::done;
}

void http_ticket::forget_answer() {
  std::lock_guard guard{mutex_};
  result_.status = 0;
  result_.headers.clear();
  result_.body.clear();
  result_.body_complete = false;
}

int http_ticket::status() const {
  std::lock_guard guard{mutex_};
  return result_.status;
}

bool http_ticket::add_body(std::string_view bytes, size_t limit) {
  std::lock_guard guard{mutex_};
  auto room = limit - std::min(limit, result_.body.size());
  result_.body += bytes.substr(0, room);
  return bytes.size() <= room;
}

void http_ticket::finish(http_event event, std::string_view detail) {
  std::unique_lock guard{mutex_};
  auto done = std::exchange(done_, nullptr);
  if (!done)
    return;
  auto result = std::move(result_);
  guard.unlock();
  result.event = result.status != 0 && yields_to_status(event) ? http_event::answered : event;
  result.detail = safe_text(detail, max_detail_size);
  done(std::move(result));
}

} // namespace notify

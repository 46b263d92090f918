#pragma once

#include "http/client/http_exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace notify {

/// One request from the call to its answer. Whoever finishes it first wins, later ones change
/// nothing, so `done` runs exactly once, also if the I/O threads end in the middle.
///
/// It is the gate in front of the socket: every byte of the request goes to the kernel through
/// `send`, under the same lock as the answer. That is why an answer given from outside (at a stop
/// or a deadline) is exact: once it says that the request is not complete, no further byte goes
/// out, and if the last byte did go out, it says so. Thread-safe.
class http_ticket {
public:
  using completion = std::function<void(http_exchange)>;

  /// The request's bytes begin with `head_size` bytes of request line and headers.
  http_ticket(std::string bytes, size_t head_size, completion done);

  /// Answers for a request that nobody works on any more.
  ~http_ticket();

  http_ticket(const http_ticket&) = delete;
  http_ticket& operator=(const http_ticket&) = delete;

  std::string_view bytes() const { return bytes_; }

  /// Begins `next`. False if the request was answered meanwhile.
  [[nodiscard]] bool enter(send_phase next);

  /// Says what carries the request. Under TLS `send` sees other bytes than the request's own.
  void use_connection(bool is_reused, bool is_encrypted);

  /// Under TLS: once all that is handed to `send` is taken, so is this much of the request.
  void expect_piece(size_t size);

  /// Hands bytes to the kernel without waiting, as `::send` does. `is_last` tells that nothing
  /// follows that belongs to the same piece. Fails with ECANCELED once the request is answered.
  ssize_t send(int socket, const void* data, size_t size, bool is_last);

  /// True if the kernel took any byte for the request, under TLS too.
  bool is_on_wire() const;

  bool is_request_complete() const;

  // What came of the answer; kept here so that any ending tells it.
  void set_status(int status);
  void set_headers(http_headers headers);
  void set_body_complete();
  void forget_answer();
  int status() const;

  /// Keeps as much as fits into `limit`; false if that is not all.
  [[nodiscard]] bool add_body(std::string_view bytes, size_t limit);

  /// Gives the answer, outside of any lock. What broke off after the status was known counts as
  /// `answered`.
  void finish(http_event event, std::string_view detail);

private:
  void count(size_t taken, bool is_drained);

  const std::string bytes_;
  const size_t head_size_;
  mutable std::mutex mutex_;
  completion done_; ///< Empty once called.
  http_exchange result_;
  size_t piece_ = 0;
  bool is_encrypted_ = false;
  bool is_on_wire_ = false;
};

} // namespace notify

#pragma once

#include <caf/timespan.hpp>

#include <cstdint>

namespace notify {

/// Ends a call to a server that accepted it and then says nothing, for as long as this lives: when
/// the limit is over, the connection is shut down and the call fails like any broken connection.
///
/// Nothing below it sees such a server: its machine, or a proxy in between, still acknowledges
/// every packet, so neither keep-alives nor `tcp_user_timeout` nor the server's own
/// `statement_timeout` help, and libpq waits for ever.
class call_deadline {
public:
  /// Watches the connection on this socket. A limit of zero: none.
  call_deadline(int socket, caf::timespan limit);
  ~call_deadline();

  call_deadline(const call_deadline&) = delete;
  call_deadline& operator=(const call_deadline&) = delete;

private:
  int socket_ = -1; ///< Our own handle: libpq may close its own, and the number be given again.
  uint64_t id_ = 0;
};

} // namespace notify

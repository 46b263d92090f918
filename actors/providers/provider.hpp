#pragma once

#include "messages/delivery.hpp"
#include "messages/outcome.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace notify {

/// One request to a provider.
struct send_request {
  uuid job_id;
  int32_t attempt_no = 0;
  std::string recipient;
  rendered_message content;
  std::string idempotency_key;
  /// For all of it, the answer's last byte included. Past it the send is answered by the phase it
  /// reached, and not a further byte of it goes out.
  caf::timespan deadline = std::chrono::seconds{120};
  job_origin origin = {}; ///< For lines about the job, and the trace that it belongs to.
};

/// Turns requests into bytes and answers into outcomes. Shared by reference between its provider
/// client and the I/O threads; every member is thread-safe.
class provider {
public:
  using completion = std::function<void(outcome)>;

  virtual ~provider() = default;

  /// Stable name for attempts and metrics, e.g. `smtp`.
  virtual std::string name() const = 0;

  /// Puts one request on the wire, at most once, and calls `done` exactly once with what came of
  /// it, on any thread. Never blocks, never throws, never repeats a send by itself.
  virtual void send(send_request request, completion done) = 0;

  /// Ends what is in flight (each `done` is still called) and closes idle connections.
  virtual void stop() = 0;
};

using provider_ptr = std::shared_ptr<provider>;

} // namespace notify

#pragma once

#include "actors/providers/provider.hpp"
#include "http/client/http_client.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <variant>

namespace notify {

/// One provider's way of speaking HTTP. Thread-safe, without I/O: `http_provider` does that.
class http_dialect {
public:
  virtual ~http_dialect() = default;

  /// Stable name for attempts and metrics, e.g. `resend`.
  virtual std::string name() const = 0;

  /// What goes on the wire, its deadline aside; or why nothing does. The same send always makes
  /// the same body.
  virtual std::variant<http_request, outcome>
  request_for(const send_request& x, std::chrono::system_clock::time_point now) const = 0;

  /// What came of a request to this recipient.
  virtual outcome outcome_of(const std::string& recipient, const http_exchange& x,
                             std::chrono::system_clock::time_point now) const = 0;
};

using http_dialect_ptr = std::shared_ptr<const http_dialect>;

/// A send that ends before a byte was sent: `permanent`, in the phase `render`.
outcome refused_unsent(std::string provider, std::string reason, std::string detail);

/// Sends through one HTTP client in one dialect: one request for each send, and no more.
class http_provider : public provider {
public:
  /// `client` is this provider's alone, since it ends with it.
  http_provider(http_client_ptr client, http_dialect_ptr dialect);

  /// Stops.
  ~http_provider() override;

  std::string name() const override { return dialect_->name(); }
  void send(send_request request, completion done) override;
  void stop() override;

private:
  const http_client_ptr client_;
  const http_dialect_ptr dialect_;
};

} // namespace notify

#pragma once

#include "tools/fake_provider/journal.hpp"
#include "tools/fake_provider/protocols.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace notify::fake {

/// Where it listens and what senders must know.
struct provider_config {
  std::string address = "127.0.0.1";
  uint16_t control_port = 0; ///< 0: any free one, here and below.
  uint16_t http_port = 0;
  uint16_t smtp_port = 0;
  accounts known;
};

/// An outside provider that does as it is told: Resend, Telegram and webhooks on one port, SMTP on
/// another, and a control port for scripts. Has a thread of its own; all members are thread-safe.
/// Behaves well until it gets a script; docs/fake-provider.md describes the rules.
class provider {
public:
  /// Listens. Throws std::runtime_error that names the port if it cannot.
  explicit provider(const provider_config& config);

  /// Ends all connections.
  ~provider();

  provider(const provider&) = delete;
  provider& operator=(const provider&) = delete;

  uint16_t control_port() const;
  uint16_t http_port() const;
  uint16_t smtp_port() const;

  /// Replaces all rules; an empty list makes it behave well. Throws `script_error`.
  void set_script(std::string_view json);

  std::vector<record> records() const;
  std::vector<tally> tallies() const;

  /// How many connections wait for a release.
  size_t waiting() const;

  /// Lets up to `most` of them go whose key or recipient contains `key`; how many it were.
  size_t release(const std::string& key = {}, size_t most = std::numeric_limits<size_t>::max());

  /// Forgets requests, counts and idempotency keys.
  void clear();

  boost::json::object state() const;

private:
  struct implementation;

  std::unique_ptr<implementation> impl_;
};

} // namespace notify::fake

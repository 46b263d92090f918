#pragma once

#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// How the connection to the relay is protected.
enum class smtp_security : uint8_t {
  none,     ///< Plain text; for a relay on this machine and for tests.
  starttls, ///< STARTTLS is required: no silent fall-back to plain text.
  tls,      ///< TLS from the first byte (port 465).
};

/// Reads one relay's refusals otherwise than the standard does, e.g. a 5yz that means "slower".
/// All that is given must match.
struct smtp_override {
  int code = 0;                            ///< Reply code; 0: any 4yz or 5yz.
  std::string enhanced;                    ///< Start of the enhanced code, e.g. `5.7.`; empty: any.
  std::string text;                        ///< Part of the reply's text, in any case; empty: any.
  outcome_kind kind = outcome_kind::retry; ///< Not `sent` and not `unknown`.
  caf::timespan wait{0};                   ///< With `retry_after`: the floor for the next attempt.
};

/// A submission relay and the mail's constant parts.
struct smtp_config {
  std::string host = "127.0.0.1";
  uint16_t port = 25;
  smtp_security security = smtp_security::starttls;
  bool verify_certificate = true;
  std::string ca_file;  ///< PEM bundle; empty: the system's.
  std::string username; ///< Empty: no AUTH.
  std::string password;
  std::string helo_name = "localhost";
  std::string from_address = "notifications@localhost";
  std::string from_name;
  std::string message_id_domain = "localhost"; ///< Right side of every Message-ID.
  size_t max_connections = 16;
  size_t max_messages_per_connection = 100;
  caf::timespan max_idle = std::chrono::seconds{30};
  caf::timespan connect_timeout = std::chrono::seconds{15};
  caf::timespan command_timeout = std::chrono::seconds{60};
  caf::timespan final_dot_timeout = std::chrono::minutes{5}; ///< Short ones make duplicates.
  std::vector<smtp_override> overrides;
};

} // namespace notify

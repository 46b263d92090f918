#pragma once

#include <string>
#include <string_view>

// On its own, not the service's code: who checks a signature must not share its maker's mistakes.

namespace notify::fake {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// HMAC-SHA256 in base64, as Standard Webhooks 1.0.0 puts it behind `v1,`.
std::string hmac_base64(std::string_view key, std::string_view bytes);

/// The bytes of a base64 text; empty if it is none.
std::string from_base64(std::string_view text);

} // namespace notify::fake

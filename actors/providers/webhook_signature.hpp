#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// The bytes of a symmetric secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes.
/// Nothing if `text` is not one.
std::optional<std::string> parse_webhook_secret(std::string_view text);

/// The value of `webhook-signature` over exactly these bytes: for each secret `v1,` and the base64
/// of HMAC-SHA256 over `ID.TIMESTAMP.BODY`, with blanks between. `secrets` are bytes, `timestamp`
/// is in seconds since 1970. Empty if OpenSSL fails, which only lack of memory makes it do.
std::string sign_webhook(const std::vector<std::string>& secrets, std::string_view id,
                         int64_t timestamp, std::string_view body);

} // namespace notify

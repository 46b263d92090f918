#pragma once

#include <string>
#include <string_view>

namespace notify {

/// Base64 (RFC 4648) with padding, without line breaks.
std::string base64(std::string_view bytes);

} // namespace notify

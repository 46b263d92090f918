#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify::http {

enum class plus_sign : uint8_t { itself, space };

/// Decodes the percent-encoding of one segment of a path or one part of a query. Nothing if it is
/// malformed, or if what comes out is not UTF-8 or has a NUL or another control character.
std::optional<std::string> percent_decoded(std::string_view text, plus_sign plus);

} // namespace notify::http

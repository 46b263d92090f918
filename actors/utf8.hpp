#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace notify {

/// Where the first byte stands that is not part of well-formed UTF-8, if there is one.
std::optional<size_t> invalid_utf8(std::string_view text);

} // namespace notify

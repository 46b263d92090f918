#pragma once

#include <cstddef>
#include <string_view>

namespace notify {

/// How many UTF-16 code units a text has, which is how Telegram counts. `utf8` is valid.
size_t utf16_length(std::string_view utf8);

} // namespace notify

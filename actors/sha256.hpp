#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace notify {

using sha256_digest = std::array<uint8_t, 32>;

/// SHA-256 of `bytes`. Thread-safe and without allocation: each thread keeps one context.
sha256_digest sha256(std::string_view bytes);

/// SHA-256 over `parts`, each preceded by its length as four bytes, big-endian, so that no two
/// different lists of parts are hashed as the same bytes.
sha256_digest sha256_of_parts(std::initializer_list<std::string_view> parts);

/// 64 lower-case hex digits.
std::string to_hex(const sha256_digest& digest);

} // namespace notify

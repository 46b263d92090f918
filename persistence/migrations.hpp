#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace notify {

/// One file of persistence/migrations/. Files are never changed once they were released: the
/// migrator compares their checksums.
struct migration {
  int32_t version = 0;
  std::string_view name;
  std::string_view checksum; ///< SHA-256 of the file, 64 hex digits.
  std::string_view sql;
};

/// The migrations that this binary carries, by version from 1 without gaps.
std::span<const migration> embedded_migrations();

} // namespace notify

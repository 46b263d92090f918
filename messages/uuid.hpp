#pragma once

#include <caf/meta/type_name.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// A 128-bit identifier (RFC 9562), kept as two numbers in network order so that comparing and
/// hashing cost nothing.
struct uuid {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const uuid&) const = default;

  bool is_nil() const { return high == 0 && low == 0; }

  /// Reads the forms that PostgreSQL reads: any case, with or without hyphens and braces.
  static std::optional<uuid> parse(std::string_view text);

  /// A random (version 4) id. Thread-safe.
  static uuid random();
};

/// The canonical lower-case form with hyphens.
std::string to_string(const uuid& x);

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, uuid& x) {
  return f(caf::meta::type_name("uuid"), x.high, x.low);
}

} // namespace notify

template <>
struct std::hash<notify::uuid> {
  size_t operator()(const notify::uuid& x) const noexcept {
    return static_cast<size_t>(x.high ^ (x.low * 0x9E3779B97F4A7C15ULL));
  }
};

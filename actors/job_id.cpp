#include "actors/job_id.hpp"

#include "actors/sha256.hpp"

#include <algorithm>
#include <array>

namespace notify {

namespace {

using id_bytes = std::array<char, 16>;

id_bytes to_bytes(const uuid& x) {
  id_bytes result;
  for (size_t i = 0; i < 8; ++i) {
    result.at(i) = static_cast<char>(x.high >> (56 - 8 * i));
    result.at(8 + i) = static_cast<char>(x.low >> (56 - 8 * i));
  }
  return result;
}

/// `count` bytes of `digest` from `first` on, as one big-endian number.
uint64_t number_at(const sha256_digest& digest, size_t first, size_t count) {
  uint64_t result = 0;
  for (size_t i = first; i < first + count; ++i)
    result = (result << 8) | digest.at(i);
  return result;
}

} // namespace

uuid make_job_id(const uuid& event_id, int64_t occurred_at_us, std::string_view channel,
                 std::string_view recipient, std::string_view template_key) {
  constexpr uint64_t version = 8;
  constexpr uint64_t variant = 2;
  auto id = to_bytes(event_id);
  auto digest = sha256_of_parts({{id.data(), id.size()}, channel, recipient, template_key});
  // The envelope's time limits keep this within 48 bits; a time before 1970 has no place in them.
  auto millis = static_cast<uint64_t>(std::max<int64_t>(occurred_at_us, 0) / 1000);
  uuid result;
  result.high = (millis << 16) | (version << 12) | (number_at(digest, 0, 2) & 0x0FFF);
  result.low = (variant << 62) | (number_at(digest, 2, 8) & 0x3FFFFFFFFFFFFFFFULL);
  return result;
}

} // namespace notify

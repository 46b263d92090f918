#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Why a text is not JSON that PostgreSQL would store.
enum class json_fault : uint8_t {
  none,
  syntax,
  too_deep,
  not_unicode,    ///< Invalid UTF-8, or half of a surrogate pair in an escape.
  nul_character,  ///< U+0000, as a byte or as an escape, in a value or a key.
  invalid_number, ///< Beyond `max_number_digits` or `max_number_growth`.
  too_many_members,
};

/// Far above any double (309 digits), far below what `numeric` bears (131072): a short text such
/// as 1e130000 must not grow to that many digits wherever it is printed.
inline constexpr size_t max_number_digits = 400;

/// How much longer all numbers of one text may become together when written without exponents.
inline constexpr size_t max_number_growth = size_t{64} * 1024;

struct json_options {
  size_t max_depth = 32;
  size_t max_members = std::numeric_limits<size_t>::max(); ///< List elements count as well.
  bool numbers_as_text = false; ///< Numbers become strings as by `plain_number`, nothing is lost.
  boost::json::storage_ptr storage;
};

/// What was read. After `nul_character` (by escape), `invalid_number` and `too_many_members` the
/// value is complete all the same, so that the event's id can still be told.
struct json_document {
  boost::json::value value;
  json_fault fault = json_fault::none;
  size_t position = 0; ///< Byte at which reading stopped, after a fault that stops it.
};

/// Reads one JSON text (RFC 8259), without extensions. Of members with the same name the last
/// one counts, as in jsonb.
json_document read_json(std::string_view text, const json_options& options);

/// The source text of the last member `name` of the object that `text` is. `text` must have been
/// read without a fault.
std::optional<std::string_view> member_text(std::string_view text, std::string_view name);

/// A JSON number as jsonb prints it: without exponent, without a sign on zero, all its digits
/// kept. Nothing if that takes more than `max_number_digits`.
std::optional<std::string> plain_number(std::string_view number);

} // namespace notify

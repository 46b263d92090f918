#pragma once

#include "messages/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Builds the text of a one-dimensional PostgreSQL array, element by element, to be bound as one
/// parameter and unnested by the statement: one round trip for a whole batch. The server checks
/// types and encodings; a NUL, at which SOCI would cut the parameter, is refused here with
/// `refused_value`.
class pg_array {
public:
  void add_null() { append("NULL"); }
  void add_text(std::string_view x);
  /// Empty text becomes NULL.
  void add_text_or_null(std::string_view x);
  void add_bytes(std::string_view x);
  void add_int(int64_t x);
  void add_bool(bool x) { append(x ? "t" : "f"); }
  void add_uuid(const uuid& x);
  void add_uuid(const std::optional<uuid>& x);
  /// Microseconds since 1970, UTC, as a timestamptz.
  void add_time(int64_t microseconds);
  void add_time(const std::optional<int64_t>& microseconds);

  /// The literal so far, always complete, e.g. `{"a",NULL}`. Its address does not change.
  const std::string& text() const { return text_; }

  /// Empties the array and keeps its memory, unless that is much.
  void clear();

private:
  void append(std::string_view element);
  void begin_element();

  std::string text_ = "{}";
};

/// Refuses text with a NUL, for parameters that are not arrays.
const std::string& without_nul(const std::string& x);

} // namespace notify

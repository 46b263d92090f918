#pragma once

#include "http/message.hpp"
#include "messages/uuid.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify::http {

/// The named values that a client sent, in a query or as members of a JSON object. Ask for each
/// value that the route knows, then call `finish`: it refuses values that do not fit and names that
/// nobody asked for. A value that does not fit reads as missing until then.
///
///     auto query = read_query(x);
///     auto limit = query.number("limit", 1, 500);
///     if (auto refusal = query.finish())
///       return respond(std::move(*refusal));
class fields {
public:
  /// `what` names one of them in refusals: `parameter`, `member`.
  fields(std::string what, boost::json::object values);

  /// All of them are refused, with this answer.
  explicit fields(response refusal);

  /// Text of 1 to `most_bytes` bytes, without control characters.
  std::optional<std::string> text(std::string_view name, size_t most_bytes = 256);

  /// One of the words in `choices`.
  std::optional<std::string> choice(std::string_view name, const std::vector<std::string>& choices);

  /// Any number of the words in `choices`, each once: a JSON list, or a repeated parameter.
  std::vector<std::string> choices_of(std::string_view name,
                                      const std::vector<std::string>& choices);

  /// An integer, also as decimal text: 64-bit numbers travel as strings.
  std::optional<int64_t> number(std::string_view name, int64_t low, int64_t high);

  std::optional<bool> flag(std::string_view name);

  /// An RFC 3339 time, as microseconds since 1970, UTC.
  std::optional<int64_t> time(std::string_view name);

  std::optional<uuid> id(std::string_view name);

  /// The members of an object inside this one; none if it is missing. Finish it as well.
  fields nested(std::string_view name);

  /// Refuses because of `name`, e.g. for a rule between two of them; the first problem counts.
  void refuse(std::string_view name, const std::string& problem);

  /// The answer 400 (or 413, 415) if anything was wrong. Call it once, after asking for everything.
  std::optional<response> finish();

private:
  /// The value of that name, which is known from now on; null if it is missing or is a list.
  const boost::json::value* find(std::string_view name);

  /// The same if it is text of a sane length.
  const boost::json::string* find_text(std::string_view name, size_t most_bytes);

  void check_choice(std::string_view name, std::string_view word,
                    const std::vector<std::string>& choices);

  std::string what_;
  std::string prefix_; ///< Of a nested object's names, e.g. `filter.`.
  boost::json::object values_;
  std::vector<std::string> known_;
  std::optional<response> refusal_;
};

/// An id in a path; nothing if it is not one.
std::optional<uuid> path_id(const request& x, std::string_view name = "id");

} // namespace notify::http

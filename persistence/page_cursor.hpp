#pragma once

#include "messages/operator_notifications.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace notify {

/// A place in a list by (created_at, id), newest first.
struct page_key {
  int64_t at_us = 0; ///< Microseconds since 1970, UTC: as exact as the database's own times.
  uuid id;

  bool operator==(const page_key&) const = default;
};

/// Before everything: all rows come after it.
inline constexpr page_key newest_key{253402300800000000, {~uint64_t{0}, ~uint64_t{0}}};

/// Names a question, so that a cursor of another one is noticed. Not for secrets.
class question_hash {
public:
  question_hash& add(std::string_view x);
  question_hash& add(int64_t x) { return add(std::to_string(x)); }

  std::string text() const;

private:
  uint64_t value_ = 14695981039346656037ULL;
};

std::string hash_of(const notification_filter& x);

/// Opaque text for clients, safe in a URL. `question` is a `question_hash`'s text.
std::string make_cursor(const page_key& key, std::string_view question);

/// `ec::invalid_request` if it is not a cursor, or belongs to another question.
caf::expected<page_key> read_cursor(std::string_view cursor, std::string_view question);

/// The same for lists by a number.
std::string make_id_cursor(int64_t id, std::string_view question);
caf::expected<int64_t> read_id_cursor(std::string_view cursor, std::string_view question);

} // namespace notify

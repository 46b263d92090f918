#pragma once

#include "actors/envelope.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// What one form of the envelope calls its members.
struct member_names {
  std::string_view event_id;
  std::string_view event_type;
  std::string_view occurred_at;
  std::string_view producer;
  std::string_view aggregate_id;
  std::string_view correlation_id;
  std::string_view payload;
};

inline constexpr member_names own_envelope{"event_id", "event_type",   "occurred_at",
                                           "producer", "aggregate_id", "correlation_id",
                                           "payload"};

/// `correlationid` and `traceparent` are extension attributes; their names allow no underscore.
inline constexpr member_names cloudevents_envelope{"id",      "type",          "time", "source",
                                                   "subject", "correlationid", "data"};

/// Takes the fields out of one parsed envelope and keeps the first thing that is wrong.
class envelope_reader {
public:
  /// Both must outlive the reader.
  envelope_reader(const boost::json::object& root, const member_names& names)
      : root_(root), names_(names) {}

  /// False if something is wrong: see `take_refusal`.
  bool read(event& x) { return read_attributes(x) && check_payload(); }

  /// Everything but the payload.
  bool read_attributes(event& x);

  /// What the CloudEvents form has beyond our own.
  bool check_cloudevent();

  /// A reader that failed before still says which event it was, if that can be told.
  std::optional<uuid> event_id() const;

  refusal take_refusal() { return std::move(refusal_); }

private:
  bool fail(refusal_reason reason, std::string detail);
  bool fail(refusal_reason reason, std::string_view name, std::string_view what);

  /// The member's text, or the refusal `reason` if it is something else.
  bool read_string(std::string_view name, refusal_reason reason, std::string_view& result);
  bool read_text(std::string_view name, bool required, std::string& result);
  bool read_event_id(event& x);
  bool read_event_type(event& x);
  bool read_time(event& x);
  bool check_payload();

  const boost::json::object& root_;
  const member_names& names_;
  refusal refusal_{};
};

} // namespace notify

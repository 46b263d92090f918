#include "http/api/filter_fields.hpp"

namespace notify::http {

notification_filter read_filter(fields& from) {
  notification_filter x;
  x.status =
      from.choice("status", {"pending", "processing", "retry_wait", "sent", "dead", "cancelled"})
          .value_or("");
  x.channel = from.text("channel", 100).value_or("");
  x.event_type = from.text("event_type", 300).value_or("");
  x.recipient = from.text("recipient", 2048).value_or("");
  x.correlation_id = from.text("correlation_id", 300).value_or("");
  x.error_code = from.text("error_code", 200).value_or("");
  x.provider = from.text("provider", 100).value_or("");
  if (auto id = from.id("event_id"))
    x.event_id = *id;
  if (auto time = from.time("created_from"))
    x.created_from_us = *time;
  if (auto time = from.time("created_to"))
    x.created_to_us = *time;
  return x;
}

} // namespace notify::http

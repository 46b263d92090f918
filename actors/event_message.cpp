#include "actors/event_message.hpp"

#include "actors/event_time.hpp"

#include <boost/json/serialize.hpp>

namespace notify {

std::string event_message(const delivery_job& job) {
  auto quoted = [](const std::string& text) {
    return boost::json::serialize(boost::json::string_view{text});
  };
  return "{\"type\":" + quoted(job.event_type) + ",\"timestamp\":"
         + quoted(format_rfc3339(job.occurred_at_us)) + ",\"data\":" + job.payload + "}";
}

} // namespace notify

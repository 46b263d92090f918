#include "http/api/json_text.hpp"

#include "actors/event_time.hpp"

namespace notify::http {

boost::json::value json_int64(int64_t x) {
  return boost::json::value(std::to_string(x));
}

boost::json::value json_int64(uint64_t x) {
  return boost::json::value(std::to_string(x));
}

boost::json::value json_time(int64_t us) {
  return boost::json::value(format_rfc3339(us));
}

boost::json::value json_age(int64_t ms) {
  return ms < 0 ? boost::json::value{} : boost::json::value(ms);
}

boost::json::value json_text(std::string_view x) {
  return x.empty() ? boost::json::value{} : boost::json::value(x);
}

} // namespace notify::http

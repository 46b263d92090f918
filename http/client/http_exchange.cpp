#include "http/client/http_exchange.hpp"

#include <boost/beast/core/string.hpp>

namespace notify {

std::string http_exchange::header(const std::string& name) const {
  for (const auto& [key, value] : headers)
    if (boost::beast::iequals(key, name))
      return value;
  return {};
}

std::string to_string(http_event x) {
  switch (x) {
  case http_event::answered:
    return "answered";
  case http_event::invalid_request:
    return "invalid_request";
  case http_event::dns_not_found:
    return "dns_not_found";
  case http_event::dns_failed:
    return "dns_failed";
  case http_event::blocked_address:
    return "blocked_address";
  case http_event::closed:
    return "closed";
  case http_event::failed:
    return "failed";
  case http_event::timed_out:
    return "timed_out";
  case http_event::tls_failed:
    return "tls_failed";
  case http_event::untrusted:
    return "untrusted";
  case http_event::malformed:
    return "malformed";
  case http_event::stopped:
    return "stopped";
  }
  return "invalid";
}

} // namespace notify

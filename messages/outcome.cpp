#include "messages/outcome.hpp"

namespace notify {

std::string to_string(outcome_kind x) {
  switch (x) {
  case outcome_kind::sent:
    return "sent";
  case outcome_kind::retry:
    return "retry";
  case outcome_kind::retry_after:
    return "retry_after";
  case outcome_kind::permanent:
    return "permanent";
  case outcome_kind::hold:
    return "hold";
  case outcome_kind::unknown:
    return "unknown";
  case outcome_kind::interrupted:
    return "interrupted";
  }
  return "invalid";
}

std::string to_string(send_phase x) {
  switch (x) {
  case send_phase::none:
    return "none";
  case send_phase::render:
    return "render";
  case send_phase::resolve:
    return "resolve";
  case send_phase::connect:
    return "connect";
  case send_phase::tls:
    return "tls";
  case send_phase::greeting:
    return "greeting";
  case send_phase::ehlo:
    return "ehlo";
  case send_phase::auth:
    return "auth";
  case send_phase::mail:
    return "mail";
  case send_phase::rcpt:
    return "rcpt";
  case send_phase::data:
    return "data";
  case send_phase::body:
    return "body";
  case send_phase::final_dot:
    return "final_dot";
  case send_phase::send_headers:
    return "send_headers";
  case send_phase::send_body:
    return "send_body";
  case send_phase::wait_reply:
    return "wait_reply";
  case send_phase::read_reply:
    return "read_reply";
  case send_phase::done:
    return "done";
  }
  return "invalid";
}

} // namespace notify

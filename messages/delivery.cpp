#include "messages/delivery.hpp"

namespace notify {

std::string to_string(next_step x) {
  switch (x) {
  case next_step::sent:
    return "sent";
  case next_step::retry:
    return "retry";
  case next_step::dead:
    return "dead";
  }
  return "invalid";
}

} // namespace notify

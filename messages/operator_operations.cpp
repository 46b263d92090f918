#include "messages/operator_operations.hpp"

namespace notify {

std::string to_string(bulk_kind x) {
  return x == bulk_kind::retry ? "retry" : "cancel";
}

} // namespace notify

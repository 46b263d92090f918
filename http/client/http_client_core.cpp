#include "http/client/http_client_core.hpp"

#include "http/client/http_call.hpp"

namespace notify {

bool http_client_core::add(const call_ptr& call) {
  std::lock_guard guard{mutex_};
  if (!is_stopped_)
    calls_.emplace(call.get(), call);
  return !is_stopped_;
}

void http_client_core::remove(http_call* call) {
  std::lock_guard guard{mutex_};
  calls_.erase(call);
}

std::vector<http_client_core::call_ptr> http_client_core::stop() {
  std::vector<call_ptr> result;
  std::lock_guard guard{mutex_};
  is_stopped_ = true;
  for (auto& [address, call] : calls_)
    if (auto alive = call.lock())
      result.push_back(std::move(alive));
  calls_.clear();
  return result;
}

size_t http_client_core::busy() const {
  std::lock_guard guard{mutex_};
  return calls_.size();
}

} // namespace notify

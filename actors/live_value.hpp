#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

namespace notify {

/// The `T` of this moment, for whoever works by it for longer than one batch or job: it may be read
/// again while the service runs. Copies mean the same one. Thread-safe.
template <class T>
class live_value {
public:
  using pointer = std::shared_ptr<const T>;

  live_value() = default;

  /// On purpose not explicit: what never changes is live, too.
  template <std::convertible_to<pointer> Pointer>
  live_value(Pointer x) : shared_(std::make_shared<std::atomic<pointer>>(std::move(x))) {}

  /// Ask again for each piece of work, and keep the answer for all of it.
  pointer current() const { return shared_ == nullptr ? nullptr : shared_->load(); }

  void replace(pointer x) const { shared_->store(std::move(x)); }

private:
  std::shared_ptr<std::atomic<pointer>> shared_;
};

} // namespace notify

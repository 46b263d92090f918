#pragma once

#include "actors/routing.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace notify {

/// The routes of this moment, for whoever works by them for longer than one batch: they may be read
/// again while the service runs. Copies mean the same routes. Thread-safe.
class live_routes {
public:
  using table_ptr = std::shared_ptr<const routing_table>;

  live_routes() = default;

  /// On purpose not explicit: routes that never change are live routes, too.
  live_routes(table_ptr table)
      : shared_(std::make_shared<std::atomic<table_ptr>>(std::move(table))) {}

  /// Ask again for each batch, and keep the answer for all of it.
  table_ptr current() const { return shared_ == nullptr ? nullptr : shared_->load(); }

  void replace(table_ptr table) const { shared_->store(std::move(table)); }

private:
  std::shared_ptr<std::atomic<table_ptr>> shared_;
};

} // namespace notify

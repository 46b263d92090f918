#pragma once

#include "actors/kafka/consumer_handle.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <variant>

namespace notify::test {

/// A second member without storage, that takes partitions and gives them back.
class guest {
public:
  explicit guest(const consumer_config& config) {
    auto made = kafka::consumer_handle::create(config);
    REQUIRE(made);
    handle_ = std::move(*made);
    REQUIRE(handle_->join() == caf::none);
  }

  /// Reads until it is given partitions.
  bool is_assigned() {
    return eventually([&] {
      auto event = handle_->poll(std::chrono::milliseconds{10});
      auto* assigned = std::get_if<kafka::partitions_assigned>(&event);
      return assigned != nullptr && !assigned->partitions.empty();
    });
  }

  bool leave() {
    handle_->begin_close();
    return eventually([&] {
      handle_->poll(std::chrono::milliseconds{10});
      return handle_->closed();
    });
  }

  kafka::consumer_handle& operator*() { return *handle_; }
  kafka::consumer_handle* operator->() { return handle_.get(); }

private:
  std::unique_ptr<kafka::consumer_handle> handle_;
};

} // namespace notify::test

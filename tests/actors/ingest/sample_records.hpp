#pragma once

#include "actors/routing.hpp"
#include "messages/kafka.hpp"
#include "messages/uuid.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace notify::test {

/// The n-th event id of a test.
inline uuid event_id(uint64_t n) {
  return {0x0191f8a0b1c27000ULL, 0x8000000000000000ULL + n};
}

inline std::string envelope(uint64_t n, const std::string& payload = R"({"email":"a@example.com"})",
                            const std::string& type = "order.paid.v1") {
  return R"({"event_id":")" + to_string(event_id(n)) + R"(","event_type":")" + type
         + R"(","occurred_at":"2026-09-01T16:00:00Z","producer":"order-service",)"
         + R"("aggregate_id":"order-1","correlation_id":"corr-1","payload":)" + payload + "}";
}

inline kafka_record record(int64_t offset, std::string value, int32_t partition = 0) {
  kafka_record x;
  x.topic = "orders";
  x.partition = partition;
  x.offset = offset;
  x.timestamp_ms = 1'788'278'400'000;
  x.key = {true, "order-1"};
  x.value = {true, std::move(value)};
  return x;
}

/// One mail for each paid order.
inline std::shared_ptr<const routing_table> routes() {
  auto table = routing_table::parse(R"({"routes":[{"event_type":"order.paid.v1",
    "channel":"email","recipient":"email","template":"order-paid.v1"}]})");
  REQUIRE(table);
  return std::make_shared<const routing_table>(std::move(*table));
}

} // namespace notify::test

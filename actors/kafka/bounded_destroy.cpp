#include "actors/kafka/bounded_destroy.hpp"

#include "messages/log.hpp"

#include <chrono>
#include <future>
#include <system_error>
#include <thread>

namespace notify::kafka {

namespace {

constexpr auto limit = std::chrono::milliseconds{1500};

} // namespace

void destroy_bounded(rd_kafka_t* client) {
  try {
    std::promise<void> done;
    auto finished = done.get_future();
    std::thread helper{[client, done = std::move(done)]() mutable {
      rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
      done.set_value();
    }};
    if (finished.wait_for(limit) == std::future_status::ready) {
      helper.join();
      return;
    }
    helper.detach();
    log::warning("kafka-consumer", "client does not end, it is left behind");
  } catch (const std::system_error& x) {
    log::warning("kafka-consumer", "no thread to end the client", {{"error", x.what()}});
  }
}

} // namespace notify::kafka

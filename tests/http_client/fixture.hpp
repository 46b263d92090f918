#pragma once

#include "http/client/http_client.hpp"
#include "tests/support/scripted_http.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace notify::test {

using namespace std::chrono_literals;

/// `count` times `x`. Not inline: GCC 12 warns falsely about long strings that it sees being made.
std::string filled(size_t count, char x);

/// A POST with enough time for any machine.
http_request post(const std::string& url, std::string body = "hello");

/// The same with little time.
http_request short_post(const std::string& url, std::string body = "hello",
                        caf::timespan deadline = 500ms);

/// More than the kernel takes while nobody reads.
std::string huge_body();

/// A client on I/O threads of its own.
class http_test_client {
public:
  explicit http_test_client(const http_client_config& config = {},
                            http_client::address_filter filter = {}, host_resolver resolver = {});
  ~http_test_client();

  std::future<http_exchange> start(http_request request);

  /// Sends and waits for the answer.
  http_exchange send(http_request request);

  void stop() { client_->stop(); }
  http_client_gauge gauge() const { return client_->gauge(); }
  http_client& client() { return *client_; }

  /// How often a completion ran.
  size_t answers() const { return *answers_; }

private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  http_client_ptr client_;
  std::shared_ptr<std::atomic<size_t>> answers_ = std::make_shared<std::atomic<size_t>>(0);
  std::vector<std::thread> threads_;
};

/// The answer, or a failure of the test if none comes.
http_exchange answer_of(std::future<http_exchange>& pending);

/// A resolver that gives these addresses for every name.
host_resolver resolves_to(std::vector<std::string> addresses);

/// A resolver that always fails like this.
host_resolver fails_with(boost::system::error_code error);

/// Settings that trust this identity.
http_client_config trusting(const test_identity& identity);

} // namespace notify::test

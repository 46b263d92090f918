#include "tests/http_client/fixture.hpp"

#include "messages/error.hpp"

#include <stdexcept>

namespace notify::test {

namespace {

constexpr size_t thread_count = 2;

} // namespace

std::string filled(size_t count, char x) {
  return std::string(count, x);
}

http_request post(const std::string& url, std::string body) {
  http_request result;
  result.url = url;
  result.body = std::move(body);
  result.deadline = 1min;
  return result;
}

http_request short_post(const std::string& url, std::string body, caf::timespan deadline) {
  auto result = post(url, std::move(body));
  result.deadline = deadline;
  return result;
}

std::string huge_body() {
  return filled(size_t{16} * 1024 * 1024, 'x');
}

http_test_client::http_test_client(const http_client_config& config,
                                   http_client::address_filter filter, host_resolver resolver)
    : work_(boost::asio::make_work_guard(io_)) {
  auto made = http_client::make(io_, config, std::move(filter), std::move(resolver));
  if (!made)
    throw std::runtime_error(render(made.error()));
  client_ = std::move(*made);
  for (size_t i = 0; i < thread_count; ++i)
    threads_.emplace_back([this] { io_.run(); });
}

http_test_client::~http_test_client() {
  client_->stop();
  work_.reset();
  io_.stop();
  for (auto& thread : threads_)
    thread.join();
}

std::future<http_exchange> http_test_client::start(http_request request) {
  auto promise = std::make_shared<std::promise<http_exchange>>();
  // A second call would throw out of `set_value`.
  client_->send(std::move(request), [promise, count = answers_](http_exchange x) {
    ++*count;
    promise->set_value(std::move(x));
  });
  return promise->get_future();
}

http_exchange http_test_client::send(http_request request) {
  auto pending = start(std::move(request));
  return answer_of(pending);
}

http_exchange answer_of(std::future<http_exchange>& pending) {
  if (pending.wait_for(2min) != std::future_status::ready)
    throw std::runtime_error("no answer from the client");
  return pending.get();
}

host_resolver resolves_to(std::vector<std::string> addresses) {
  return [addresses](const std::string&, const std::function<void(host_lookup)>& done) {
    host_lookup result;
    for (const auto& x : addresses)
      result.addresses.push_back(boost::asio::ip::make_address(x));
    done(std::move(result));
  };
}

host_resolver fails_with(boost::system::error_code error) {
  return [error](const std::string&, const std::function<void(host_lookup)>& done) {
    done({error, {}});
  };
}

http_client_config trusting(const test_identity& identity) {
  http_client_config result;
  result.ca_file = identity.certificate_file();
  return result;
}

} // namespace notify::test

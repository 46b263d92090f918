#include "tests/providers_http/adapter.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace notify::test {

adapter::adapter(const adapter_maker& make, http_client::address_filter filter,
                 host_resolver resolver)
    : io_(2) {
  auto client = http_client::make(io_.context(), {}, std::move(filter), std::move(resolver));
  if (!client)
    throw std::runtime_error(render(client.error()));
  auto made = make(*client);
  if (!made)
    throw std::runtime_error(render(made.error()));
  provider_ = std::move(*made);
}

adapter::~adapter() {
  provider_->stop();
  io_.stop();
}

std::future<outcome> adapter::start(send_request request) {
  auto promise = std::make_shared<std::promise<outcome>>();
  // A second call would throw out of `set_value`.
  provider_->send(std::move(request), [promise](outcome x) { promise->set_value(std::move(x)); });
  return promise->get_future();
}

outcome adapter::send(send_request request) {
  auto pending = start(std::move(request));
  return answer_of(pending);
}

outcome answer_of(std::future<outcome>& pending) {
  if (pending.wait_for(std::chrono::minutes{1}) != std::future_status::ready)
    throw std::runtime_error("no answer from the adapter");
  return pending.get();
}

std::string summary(const outcome& x) {
  return to_string(x.kind) + " " + x.reason;
}

http_script answering(std::vector<std::string> answers) {
  auto next = std::make_shared<std::atomic<size_t>>(0);
  auto all = std::make_shared<const std::vector<std::string>>(std::move(answers));
  return {web::repeat({web::take_request(), web::answer_with([next, all](const auto&) {
                         return all->at(std::min(next->fetch_add(1), all->size() - 1));
                       })})};
}

} // namespace notify::test

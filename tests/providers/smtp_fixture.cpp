#include "tests/providers/smtp_fixture.hpp"

#include "messages/error.hpp"

#include <chrono>
#include <stdexcept>

namespace notify::test {

std::string filled(size_t count, char x) {
  return std::string(count, x);
}

smtp_config plain_config(const scripted_smtp& relay) {
  smtp_config result;
  result.port = relay.port();
  result.security = smtp_security::none;
  result.from_address = "shop@example.com";
  result.message_id_domain = "example.com";
  return result;
}

smtp_config tls_config(const scripted_smtp& relay, smtp_security security,
                       const test_identity& trusted) {
  auto result = plain_config(relay);
  result.host = "localhost";
  result.security = security;
  result.ca_file = trusted.certificate_file();
  return result;
}

send_request a_mail(const std::string& key) {
  send_request result;
  result.job_id = uuid{1, 2};
  result.attempt_no = 1;
  result.recipient = "user@example.org";
  result.content.subject = "Order paid";
  result.content.text = "Thank you.\n";
  result.idempotency_key = key;
  return result;
}

smtp_client::smtp_client(const smtp_config& config, size_t threads, smtp_lookup look_up)
    : io_(threads) {
  auto made = smtp_provider::make(io_.context(), config, std::move(look_up));
  if (!made)
    throw std::runtime_error(render(made.error()));
  provider_ = std::move(*made);
}

smtp_client::~smtp_client() {
  provider_->stop();
  io_.stop();
}

std::future<outcome> smtp_client::start(send_request request) {
  auto promise = std::make_shared<std::promise<outcome>>();
  // A second call would throw out of `set_value`.
  provider_->send(std::move(request), [promise](outcome x) { promise->set_value(std::move(x)); });
  return promise->get_future();
}

outcome smtp_client::send(send_request request) {
  auto pending = start(std::move(request));
  return answer_of(pending);
}

std::vector<std::future<outcome>> start_many(smtp_client& client, size_t count) {
  std::vector<std::future<outcome>> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(client.start(a_mail("key-" + std::to_string(i))));
  return result;
}

raw_smtp_client::raw_smtp_client(const smtp_config& config)
    : io_(1), pool_(std::make_shared<smtp_pool>(io_.context(), config, *make_tls_context(config))) {
}

raw_smtp_client::~raw_smtp_client() {
  pool_->stop();
  io_.stop();
}

std::future<outcome> raw_smtp_client::start(std::string message, caf::timespan deadline) {
  auto promise = std::make_shared<std::promise<outcome>>();
  outgoing_mail mail{"shop@example.com", "user@example.org", std::move(message), false};
  pool_->submit(
      std::make_shared<smtp_ticket>(std::move(mail), smtp_ticket::clock::now() + deadline,
                                    [promise](outcome x) { promise->set_value(std::move(x)); }));
  return promise->get_future();
}

outcome raw_smtp_client::send(std::string message) {
  auto pending = start(std::move(message));
  return answer_of(pending);
}

outcome answer_of(std::future<outcome>& pending) {
  if (pending.wait_for(std::chrono::minutes{1}) != std::future_status::ready)
    throw std::runtime_error("no answer from the provider");
  return pending.get();
}

} // namespace notify::test

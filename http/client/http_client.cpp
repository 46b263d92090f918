#include "http/client/http_client.hpp"

#include "http/client/http_call.hpp"
#include "http/client/http_client_core.hpp"
#include "http/client/http_request_head.hpp"
#include "http/client/http_tls.hpp"
#include "messages/error.hpp"

#include <utility>

namespace notify {

namespace {

class beast_http_client : public http_client {
public:
  explicit beast_http_client(std::shared_ptr<http_client_core> core) : core_(std::move(core)) {}

  void send(http_request request, completion done) override;
  void stop() override;

  http_client_gauge gauge() const override {
    return {core_->busy(), core_->pool->size(), core_->connections};
  }

private:
  std::shared_ptr<http_client_core> core_;
};

void refuse(http_client::completion done, http_event event, std::string detail) {
  http_exchange result;
  result.event = event;
  result.detail = std::move(detail);
  done(std::move(result));
}

void beast_http_client::send(http_request request, completion done) {
  auto url = parse_http_url(request.url);
  if (!url)
    return refuse(std::move(done), http_event::invalid_request, "not an absolute URL of HTTP");
  if (auto fault = find_fault(request))
    return refuse(std::move(done), http_event::invalid_request, *fault);
  if (request.deadline <= caf::timespan{0})
    return refuse(std::move(done), http_event::timed_out, "no time was left");
  auto bytes = make_request_head(request, *url, core_->config.user_agent);
  auto head_size = bytes.size();
  bytes += request.body;
  auto ticket = std::make_shared<http_ticket>(std::move(bytes), head_size, std::move(done));
  http_call::plan plan{std::move(*url), request.method == "HEAD", request.deadline};
  auto call = std::make_shared<http_call>(core_, std::move(plan), ticket);
  if (core_->add(call))
    call->start();
  else
    ticket->finish(http_event::stopped, "the service is stopping");
}

void beast_http_client::stop() {
  for (auto& call : core_->stop())
    call->stop();
  core_->pool->stop();
}

caf::error check(const http_client_config& config) {
  if (!is_header_value(config.user_agent))
    return caf::make_error(ec::invalid_config, "user-agent has a control character");
  if (config.max_head_bytes == 0)
    return caf::make_error(ec::invalid_config, "max-head-bytes must be at least 1");
  if (config.max_requests_per_connection == 0)
    return caf::make_error(ec::invalid_config, "max-requests-per-connection must be at least 1");
  if (config.connect_timeout <= caf::timespan{0})
    return caf::make_error(ec::invalid_config, "connect-timeout must be positive");
  return {};
}

} // namespace

caf::expected<http_client_ptr> http_client::make(boost::asio::io_context& io,
                                                 const http_client_config& config,
                                                 address_filter filter, host_resolver resolver) {
  if (auto err = check(config))
    return err;
  auto tls = make_http_tls(config.ca_file);
  if (!tls)
    return std::move(tls.error());
  auto core = std::make_shared<http_client_core>(io, config);
  core->tls = std::move(*tls);
  core->filter = std::move(filter);
  core->resolve = resolver ? std::move(resolver) : make_system_resolver(io);
  return std::make_shared<beast_http_client>(std::move(core));
}

} // namespace notify

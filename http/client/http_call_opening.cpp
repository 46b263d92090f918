#include "http/client/http_call.hpp"
#include "http/client/http_tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

namespace asio = boost::asio;

http_call::awaitable<http_call::step> http_call::open() {
  std::vector<address> addresses;
  auto end = co_await find_addresses(addresses);
  if (!end)
    end = co_await connect(addresses);
  if (!end)
    ++core_->connections;
  if (!end && plan_.url.is_tls)
    end = co_await start_tls();
  co_return end;
}

// -- addresses ----------------------------------------------------------------

/// The addresses that may be connected to. They are judged here and used as they are: a second
/// lookup could give others.
http_call::awaitable<http_call::step> http_call::find_addresses(std::vector<address>& found) {
  if (is_aborted_ || !ticket_->enter(send_phase::resolve))
    co_return interrupted();
  if (auto literal = parse_address(plan_.url.host)) {
    found.push_back(plain_address(*literal));
  } else {
    host_lookup result;
    if (auto end = co_await look_up(result))
      co_return end;
    for (const auto& x : result.addresses)
      found.push_back(plain_address(x));
  }
  if (core_->filter)
    std::erase_if(found, [&](const address& x) { return !core_->filter(x); });
  if (found.empty())
    co_return trouble{http_event::blocked_address, "no address of the host may be connected to"};
  co_return std::nullopt;
}

http_call::awaitable<http_call::step> http_call::look_up(host_lookup& found) {
  auto shared = std::make_shared<pending_lookup>(strand_);
  lookup_ = shared;
  shared->timer.expires_after(core_->config.connect_timeout);
  // What comes back is taken on our strand, so not before this coroutine waits.
  core_->resolve(plan_.url.host, [shared, strand = strand_](host_lookup result) {
    asio::post(strand, [shared, result = std::move(result)]() mutable {
      shared->result = std::move(result);
      shared->is_done = true;
      shared->timer.cancel();
    });
  });
  co_await shared->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  lookup_ = nullptr;
  if (is_aborted_)
    co_return interrupted();
  if (!shared->is_done)
    co_return trouble{http_event::dns_failed, "the name was not looked up in time"};
  found = std::move(shared->result);
  if (found.error == asio::error::host_not_found)
    co_return trouble{http_event::dns_not_found, "there is no host of this name"};
  if (found.error)
    co_return trouble{http_event::dns_failed, found.error.message()};
  if (found.addresses.empty())
    co_return trouble{http_event::dns_failed, "the name has no address"};
  co_return std::nullopt;
}

// -- TCP ----------------------------------------------------------------------

http_call::awaitable<http_call::step> http_call::connect(const std::vector<address>& addresses) {
  using std::chrono::steady_clock;
  auto end_of_time = steady_clock::now() + core_->config.connect_timeout;
  step end;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (is_aborted_ || !ticket_->enter(send_phase::connect))
      co_return interrupted();
    // An equal share for each, so that one that is silent does not take it all.
    auto left = end_of_time - steady_clock::now();
    auto share = left / static_cast<int64_t>(addresses.size() - i);
    end = co_await connect_to(addresses[i], share);
    if (!end)
      break;
  }
  co_return end;
}

http_call::awaitable<http_call::step> http_call::connect_to(const address& where,
                                                            caf::timespan limit) {
  connection_ = std::make_shared<http_connection>(core_->io.get_executor(), plan_.url.origin());
  limit_step(limit);
  auto error = co_await connection_->connect({where, plan_.url.port});
  auto is_in_time = end_step();
  if (is_aborted_)
    co_return interrupted();
  if (!is_in_time)
    co_return trouble{http_event::timed_out, "no connection in time"};
  if (error)
    co_return trouble{http_event::failed, error.message()};
  co_return std::nullopt;
}

// -- TLS ----------------------------------------------------------------------

http_call::awaitable<http_call::step> http_call::start_tls() {
  if (is_aborted_ || !ticket_->enter(send_phase::tls))
    co_return interrupted();
  connection_->use(ticket_);
  limit_step(core_->config.connect_timeout);
  auto error = co_await connection_->start_tls(*core_->tls, plan_.url.host);
  auto is_in_time = end_step();
  if (is_aborted_)
    co_return interrupted();
  if (!is_in_time)
    co_return trouble{http_event::timed_out, "no TLS handshake in time"};
  if (!error)
    co_return std::nullopt;
  auto is_of_tls = error.category() == asio::error::get_ssl_category();
  if (is_of_tls && connection_->verify_result() != X509_V_OK)
    co_return trouble{http_event::untrusted, explain_distrust(connection_->verify_result())};
  auto is_over = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  co_return trouble{http_event::tls_failed,
                    is_over ? "the peer left during the TLS handshake" : error.message()};
}

} // namespace notify

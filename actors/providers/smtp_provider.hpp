#pragma once

#include "actors/providers/mail_address.hpp"
#include "actors/providers/provider.hpp"
#include "actors/providers/smtp_config.hpp"
#include "actors/providers/smtp_pool.hpp"

#include <boost/asio/io_context.hpp>

#include <caf/expected.hpp>

#include <memory>
#include <string>

namespace notify {

/// E-mail through a submission relay. One recipient per mail, one dialogue per send; the mail's
/// Message-ID comes from the idempotency key, so that repeated mails can be told by receivers that
/// look at it. There is no other idempotency in SMTP.
class smtp_provider : public provider {
public:
  /// Checks the settings once, loudly: `ec::invalid_config` names the option. `io` must run until
  /// `stop` was called.
  static caf::expected<std::shared_ptr<smtp_provider>>
  make(boost::asio::io_context& io, const smtp_config& config, smtp_lookup look_up = {});

  /// Stops.
  ~smtp_provider() override;

  std::string name() const override { return "smtp"; }

  /// Besides the request's deadline each step of the dialogue has its own. While all connections
  /// are busy a mail waits, so callers have at most `max_connections` in flight if they want none
  /// to wait; one that waited past its deadline is answered as `smtp_pool_busy`.
  void send(send_request request, completion done) override;

  void stop() override;

  smtp_pool_gauge gauge() const { return pool_->gauge(); }

private:
  smtp_provider(smtp_config config, mail_address from, std::shared_ptr<smtp_pool> pool);

  const smtp_config config_;
  const mail_address from_;
  const std::shared_ptr<smtp_pool> pool_;
};

} // namespace notify

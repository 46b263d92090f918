#include "actors/providers/smtp_provider.hpp"

#include "actors/providers/mime_builder.hpp"
#include "messages/error.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

namespace {

bool is_printable_word(const std::string& text) {
  return !text.empty() && text.size() <= 255
         && std::all_of(text.begin(), text.end(), [](char x) { return x > ' ' && x < '\x7F'; });
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool has_line_break(const std::string& text) {
  return text.find_first_of("\r\n") != std::string::npos;
}

/// The first setting that cannot work, in words; empty if all can.
std::string find_fault(const smtp_config& config) {
  if (!is_printable_word(config.host))
    return "smtp.host: not a host name";
  if (config.port == 0)
    return "smtp.port: must not be 0";
  if (!is_printable_word(config.helo_name))
    return "smtp.helo-name: not a host name";
  if (has_nul(config.from_name) || has_line_break(config.from_name))
    return "smtp.from-name: must not have line breaks";
  if (has_nul(config.username) || has_nul(config.password))
    return "smtp.username, smtp.password: must not have NUL";
  if (config.username.size() > 500 || config.password.size() > 500)
    return "smtp.username, smtp.password: must not be longer than 500 bytes";
  if (config.max_connections == 0 || config.max_messages_per_connection == 0)
    return "smtp.max-connections, smtp.max-messages-per-connection: must not be 0";
  return {};
}

/// Bounded, because the clock cannot hold a time that is much further away.
smtp_ticket::clock::time_point deadline_after(caf::timespan limit) {
  constexpr caf::timespan longest = std::chrono::hours{24 * 365};
  return smtp_ticket::clock::now() + std::min(limit, longest);
}

/// A send that ends before a byte was sent.
outcome refused(std::string reason, std::string detail) {
  outcome result;
  result.kind = outcome_kind::permanent;
  result.phase = send_phase::render;
  result.provider = "smtp";
  result.reason = std::move(reason);
  result.detail = std::move(detail);
  return result;
}

} // namespace

caf::expected<std::shared_ptr<smtp_provider>>
smtp_provider::make(boost::asio::io_context& io, const smtp_config& config, smtp_lookup look_up) {
  if (auto fault = find_fault(config); !fault.empty())
    return caf::make_error(ec::invalid_config, std::move(fault));
  auto from = parse_mail_address(config.from_address);
  if (!from)
    return caf::make_error(ec::invalid_config, "smtp.from-address: not an address");
  if (!build_mime({*from, {}, *from, {}, {}, {}, "key", config.message_id_domain, {}}))
    return caf::make_error(ec::invalid_config, "smtp.message-id-domain: not a domain");
  auto tls = make_tls_context(config);
  if (!tls)
    return std::move(tls.error());
  auto pool = std::make_shared<smtp_pool>(io, config, std::move(*tls), std::move(look_up));
  return std::shared_ptr<smtp_provider>{
      new smtp_provider(config, std::move(*from), std::move(pool))};
}

smtp_provider::smtp_provider(smtp_config config, mail_address from, std::shared_ptr<smtp_pool> pool)
    : config_(std::move(config)), from_(std::move(from)), pool_(std::move(pool)) {}

smtp_provider::~smtp_provider() {
  stop();
}

void smtp_provider::send(send_request request, completion done) {
  auto deadline = deadline_after(request.deadline);
  auto to = parse_mail_address(request.recipient);
  if (!to) {
    done(refused("smtp_invalid_recipient", render(to.error())));
    return;
  }
  auto message = build_mime({from_, config_.from_name, *to, request.content.subject,
                             request.content.text, request.content.html, request.idempotency_key,
                             config_.message_id_domain, std::chrono::system_clock::now()});
  if (!message) {
    done(refused("smtp_invalid_message", render(message.error())));
    return;
  }
  outgoing_mail mail{from_.text(), to->text(), std::move(*message),
                     from_.needs_smtputf8() || to->needs_smtputf8()};
  pool_->submit(std::make_shared<smtp_ticket>(std::move(mail), deadline, std::move(done)));
}

void smtp_provider::stop() {
  pool_->stop();
}

} // namespace notify

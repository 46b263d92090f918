#include "actors/providers/base64.hpp"
#include "actors/providers/smtp_session.hpp"

#include <utility>

// From no connection to one that takes mails: name, TCP, TLS, greeting, login.

namespace notify {

smtp_session::awaitable<smtp_session::step> smtp_session::establish(smtp_ticket& ticket) {
  auto end = co_await open(ticket);
  if (!end)
    end = co_await secure(ticket);
  if (!end)
    end = co_await log_in(ticket);
  is_open_ = !end;
  needs_reset_ = false;
  messages_ = 0;
  co_return end;
}

smtp_session::awaitable<smtp_session::step> smtp_session::open(smtp_ticket& ticket) {
  if (is_aborted_ || !ticket.enter(send_phase::resolve))
    co_return over(send_phase::resolve, gave_up());
  transport_.emplace(strand_, tls_context_);
  auto trouble = co_await transport_->resolve(config_.host, config_.port, look_up_,
                                              ticket.limit(config_.connect_timeout));
  if (trouble)
    co_return over(send_phase::resolve, std::move(*trouble));
  if (is_aborted_ || !ticket.enter(send_phase::connect))
    co_return over(send_phase::connect, gave_up());
  trouble = co_await transport_->connect(ticket.limit(config_.connect_timeout));
  if (trouble)
    co_return over(send_phase::connect, std::move(*trouble));
  co_return std::nullopt;
}

/// From the open socket to a greeted relay, under TLS if so configured.
smtp_session::awaitable<smtp_session::step> smtp_session::secure(smtp_ticket& ticket) {
  step end;
  if (config_.security == smtp_security::tls)
    end = co_await start_tls(ticket);
  if (!end)
    end = co_await greet(ticket);
  if (!end)
    end = co_await say_hello(ticket);
  if (end || config_.security != smtp_security::starttls)
    co_return end;
  if (!extensions_.starttls)
    co_return over(send_phase::tls, smtp_trouble{smtp_event::not_offered, "no STARTTLS"});
  auto answer = co_await command(ticket, send_phase::tls, "STARTTLS");
  if (!answer.is(2))
    co_return over(send_phase::tls, std::move(answer));
  end = co_await start_tls(ticket);
  // What the relay said in plain text may have been anybody's words: ask again.
  if (!end)
    end = co_await say_hello(ticket);
  co_return end;
}

smtp_session::awaitable<smtp_session::step> smtp_session::greet(smtp_ticket& ticket) {
  if (is_aborted_ || !ticket.enter(send_phase::greeting))
    co_return over(send_phase::greeting, gave_up());
  transport_->set_deadline(ticket.limit(config_.command_timeout));
  auto answer = co_await transport_->read_reply();
  if (!answer.is(2))
    co_return over(send_phase::greeting, std::move(answer));
  co_return std::nullopt;
}

smtp_session::awaitable<smtp_session::step> smtp_session::start_tls(smtp_ticket& ticket) {
  if (is_aborted_ || !ticket.enter(send_phase::tls))
    co_return over(send_phase::tls, gave_up());
  auto trouble =
      co_await transport_->start_tls(config_.host, ticket.limit(config_.connect_timeout));
  if (trouble)
    co_return over(send_phase::tls, std::move(*trouble));
  co_return std::nullopt;
}

smtp_session::awaitable<smtp_session::step> smtp_session::say_hello(smtp_ticket& ticket) {
  extensions_ = {};
  auto answer = co_await command(ticket, send_phase::ehlo, "EHLO " + config_.helo_name);
  if (answer.is(2))
    extensions_ = parse_smtp_extensions(answer.reply);
  else if (answer.is(5))
    answer = co_await command(ticket, send_phase::ehlo, "HELO " + config_.helo_name);
  if (!answer.is(2))
    co_return over(send_phase::ehlo, std::move(answer));
  co_return std::nullopt;
}

smtp_session::awaitable<smtp_session::step> smtp_session::log_in(smtp_ticket& ticket) {
  if (config_.username.empty())
    co_return std::nullopt;
  if (!transport_->is_encrypted() && !transport_->is_loopback())
    co_return over(send_phase::auth, smtp_trouble{smtp_event::unsafe, "AUTH needs TLS"});
  smtp_answer answer{smtp_event::not_offered, {}, "neither AUTH PLAIN nor AUTH LOGIN"};
  if (extensions_.auth_plain)
    answer = co_await command(ticket, send_phase::auth, "AUTH PLAIN " + plain_credentials());
  else if (extensions_.auth_login)
    answer = co_await log_in_by_prompts(ticket);
  if (answer.is(2))
    co_return std::nullopt;
  co_return over(send_phase::auth, std::move(answer));
}

smtp_session::awaitable<smtp_answer> smtp_session::log_in_by_prompts(smtp_ticket& ticket) {
  auto answer = co_await command(ticket, send_phase::auth, "AUTH LOGIN");
  if (answer.is(3))
    answer = co_await command(ticket, send_phase::auth, base64(config_.username));
  if (answer.is(3))
    answer = co_await command(ticket, send_phase::auth, base64(config_.password));
  co_return answer;
}

} // namespace notify

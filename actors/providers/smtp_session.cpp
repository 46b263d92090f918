#include "actors/providers/smtp_session.hpp"

#include "actors/providers/base64.hpp"
#include "actors/providers/smtp_data.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// What is written at once. The final dot is part of the last piece, so a short mail is one write.
constexpr size_t piece_size = size_t{16} * 1024;

/// For courtesies whose answer changes nothing.
constexpr caf::timespan short_wait = 2s;

smtp_trouble out_of_step() {
  return {smtp_event::desync, "the relay spoke out of turn"};
}

/// True for an answer that a connection gives which was closed while it was idle.
bool is_end_of_idle(const smtp_answer& answer) {
  return answer.event == smtp_event::closed || answer.event == smtp_event::desync
         || (answer.event == smtp_event::reply && answer.reply.code == 421);
}

} // namespace

smtp_session::smtp_session(boost::asio::any_io_executor strand, const smtp_config& config,
                           boost::asio::ssl::context& tls, const smtp_lookup& look_up)
    : strand_(std::move(strand)), config_(config), tls_context_(tls), look_up_(look_up),
      idle_timer_(strand_) {}

smtp_session::awaitable<outcome> smtp_session::deliver(smtp_ticket& ticket) {
  idle_timer_.cancel();
  if (is_open_ && transport_->is_readable())
    close();
  auto is_reused = is_open_;
  for (auto may_start_over = true;; may_start_over = false) {
    auto is_stale = false;
    auto ending = co_await attempt(ticket, is_reused, is_stale);
    settle(ending);
    if (!is_stale || !may_start_over)
      co_return conclude(ending, ticket, is_reused);
    close();
    is_reused = false;
  }
}

smtp_session::awaitable<smtp_ending> smtp_session::attempt(smtp_ticket& ticket, bool is_reused,
                                                           bool& is_stale) {
  if (!is_open_) {
    auto end = co_await establish(ticket);
    if (end)
      co_return std::move(*end);
  }
  auto end = co_await send_envelope(ticket, is_reused, is_stale);
  if (end)
    co_return std::move(*end);
  co_return co_await send_message(ticket);
}

smtp_session::awaitable<smtp_session::step>
smtp_session::send_envelope(smtp_ticket& ticket, bool is_reused, bool& is_stale) {
  const auto& mail = ticket.mail();
  if (auto end = check_limits(mail))
    co_return end;
  auto is_first = is_reused;
  if (needs_reset_) {
    auto answer = co_await command(ticket, send_phase::mail, "RSET");
    is_stale = is_first && (is_end_of_idle(answer) || answer.is(4) || answer.is(5));
    is_first = false;
    if (!answer.is(2))
      co_return over(send_phase::mail, std::move(answer));
    needs_reset_ = false;
  }
  auto answer = co_await command(ticket, send_phase::mail, mail_command(mail));
  is_stale = is_first && is_end_of_idle(answer);
  if (!answer.is(2))
    co_return over(send_phase::mail, std::move(answer));
  answer = co_await command(ticket, send_phase::rcpt, "RCPT TO:<" + mail.to + ">");
  is_stale = answer.event == smtp_event::reply && answer.reply.code == 503;
  if (!answer.is(2))
    co_return over(send_phase::rcpt, std::move(answer));
  co_return std::nullopt;
}

smtp_session::awaitable<smtp_ending> smtp_session::send_message(smtp_ticket& ticket) {
  auto answer = co_await command(ticket, send_phase::data, "DATA");
  if (!answer.is(3))
    co_return over(send_phase::data, std::move(answer));
  auto data = encode_smtp_data(ticket.mail().message);
  auto total = data.size();
  data += smtp_final_dot;
  auto split = data.size() > piece_size ? data.size() - piece_size : 0;
  auto end = co_await send_head(ticket, std::string_view{data}.substr(0, split));
  if (end)
    co_return std::move(*end);
  co_return co_await send_tail(ticket, std::string_view{data}.substr(split), total);
}

/// Everything but the last piece. A relay that answers before the end has not accepted.
smtp_session::awaitable<smtp_session::step> smtp_session::send_head(smtp_ticket& ticket,
                                                                    std::string_view head) {
  for (uint64_t sent = 0;;) {
    // Asked before each piece: an answer from outside ends the message there.
    if (is_aborted_ || !ticket.enter(send_phase::body))
      co_return over(send_phase::body, gave_up());
    if (head.empty())
      co_return std::nullopt;
    if (transport_->has_unread()) {
      auto end = co_await read_early_reply(ticket, out_of_step(), config_.command_timeout);
      co_return end;
    }
    transport_->set_deadline(ticket.limit(config_.command_timeout));
    auto piece = head.substr(0, piece_size);
    size_t written = 0;
    auto trouble = co_await transport_->write(piece, written);
    ticket.set_bytes_sent(sent += written);
    if (trouble) {
      auto end = co_await read_early_reply(ticket, std::move(*trouble), short_wait);
      co_return end;
    }
    head.remove_prefix(piece.size());
  }
}

/// The last piece with the final dot, and the reply that decides. From the moment the gate to
/// `final_dot` is passed the relay may have the message.
smtp_session::awaitable<smtp_ending>
smtp_session::send_tail(smtp_ticket& ticket, std::string_view tail, uint64_t total) {
  if (transport_->has_unread())
    co_return co_await read_early_reply(ticket, out_of_step(), config_.command_timeout);
  if (is_aborted_ || !ticket.enter(send_phase::final_dot))
    co_return over(send_phase::body, gave_up());
  transport_->set_deadline(ticket.limit(config_.final_dot_timeout));
  auto sent = ticket.bytes_sent();
  size_t written = 0;
  auto trouble = co_await transport_->write(tail, written);
  ticket.set_bytes_sent(std::min<uint64_t>(sent + written, total));
  if (!trouble) {
    auto answer = co_await transport_->read_reply();
    co_return over(send_phase::final_dot, std::move(answer));
  }
  // Without TLS the kernel says exactly what it took, and a dot that it refused is not sent. A
  // deadline may pass between the two, so it stays in doubt.
  auto is_certain =
      !transport_->is_encrypted() && written < tail.size() && trouble->event == smtp_event::closed;
  if (is_certain)
    co_return co_await read_early_reply(ticket, std::move(*trouble), short_wait);
  co_return over(send_phase::final_dot, std::move(*trouble));
}

/// The refusal that made the relay stop reading, if it still can be read, else `trouble`.
smtp_session::awaitable<smtp_ending>
smtp_session::read_early_reply(smtp_ticket& ticket, smtp_trouble trouble, caf::timespan limit) {
  transport_->set_deadline(ticket.limit(limit));
  auto answer = co_await transport_->read_reply();
  if (answer.event == smtp_event::reply)
    co_return over(send_phase::body, std::move(answer));
  co_return over(send_phase::body, std::move(trouble));
}

smtp_session::awaitable<smtp_answer> smtp_session::command(smtp_ticket& ticket, send_phase phase,
                                                           std::string line) {
  if (is_aborted_ || !ticket.enter(phase))
    co_return smtp_answer::from(gave_up());
  if (transport_->has_unread())
    co_return smtp_answer::from(out_of_step());
  transport_->set_deadline(ticket.limit(config_.command_timeout));
  line += "\r\n";
  size_t written = 0;
  auto trouble = co_await transport_->write(line, written);
  if (trouble)
    co_return smtp_answer::from(std::move(*trouble));
  co_return co_await transport_->read_reply();
}

smtp_session::awaitable<void> smtp_session::say_goodbye() {
  idle_timer_.cancel();
  if (is_open_ && !is_aborted_) {
    is_open_ = false;
    transport_->set_deadline(std::min(config_.command_timeout, short_wait));
    size_t written = 0;
    auto trouble = co_await transport_->write("QUIT\r\n", written);
    if (!trouble)
      co_await transport_->read_reply();
  }
  close();
}

void smtp_session::abort() {
  is_aborted_ = true;
  close();
}

smtp_ending smtp_session::over(send_phase phase, smtp_trouble trouble) {
  return {phase, trouble.event, {}, std::move(trouble.text), 0};
}

smtp_ending smtp_session::over(send_phase phase, smtp_answer answer) {
  return {phase, answer.event, std::move(answer.reply), std::move(answer.text), 0};
}

smtp_trouble smtp_session::gave_up() {
  return {smtp_event::stopped, "the send was answered already"};
}

std::string smtp_session::mail_command(const outgoing_mail& mail) const {
  auto result = "MAIL FROM:<" + mail.from + '>';
  if (extensions_.size)
    result += " SIZE=" + std::to_string(mail.message.size());
  if (mail.needs_smtputf8)
    result += " SMTPUTF8";
  return result;
}

smtp_session::step smtp_session::check_limits(const outgoing_mail& mail) const {
  if (extensions_.size_limit > 0 && mail.message.size() > extensions_.size_limit)
    return over(
        send_phase::mail,
        smtp_trouble{smtp_event::too_big,
                     "the relay takes " + std::to_string(extensions_.size_limit) + " bytes"});
  if (mail.needs_smtputf8 && !extensions_.smtputf8)
    return over(send_phase::mail, smtp_trouble{smtp_event::not_offered, "no SMTPUTF8"});
  return std::nullopt;
}

/// Keeps the connection only where both sides agree what comes next.
void smtp_session::settle(const smtp_ending& ending) {
  auto is_refusal = ending.reply.severity() == 4 || ending.reply.severity() == 5;
  auto is_answered = ending.event == smtp_event::reply && is_refusal && ending.reply.code != 421
                     && ending.reply.code != 503;
  auto is_accepted = ending.event == smtp_event::reply && ending.reply.severity() == 2
                     && ending.phase == send_phase::final_dot;
  auto is_local = ending.event == smtp_event::too_big
                  || (ending.event == smtp_event::not_offered && ending.phase == send_phase::mail);
  auto is_in_step =
      is_open_ && ending.phase != send_phase::body && (is_accepted || is_answered || is_local);
  if (!is_in_step) {
    close();
    return;
  }
  needs_reset_ =
      needs_reset_ || ending.phase == send_phase::rcpt || ending.phase == send_phase::data;
  ++messages_;
}

outcome smtp_session::conclude(const smtp_ending& ending, const smtp_ticket& ticket,
                               bool is_reused) const {
  auto result = classify_smtp(ending, config_.overrides);
  result.bytes_sent = ticket.bytes_sent();
  result.connection_reused = is_reused;
  if (ending.phase != send_phase::auth && repeats_secret(ending.reply.text())) {
    result.detail = "(withheld: the reply repeats a secret)";
    result.provider_message_id.clear();
  }
  if (ending.event == smtp_event::desync || result.reason == "smtp_desync")
    log::warning("smtp", "the relay answered out of step, connection dropped",
                 {{"phase", to_string(result.phase)}, {"code", result.provider_status}});
  if (!ending.reply.is_consistent())
    log::debug("smtp", "enhanced code ignored: its class is not the reply's",
               {{"code", ending.reply.code}, {"enhanced", ending.reply.enhanced}});
  return result;
}

std::string smtp_session::plain_credentials() const {
  using namespace std::string_literals;
  return base64("\0"s + config_.username + "\0"s + config_.password);
}

bool smtp_session::repeats_secret(std::string_view text) const {
  if (config_.password.empty())
    return false;
  auto contains = [&](const std::string& x) { return text.find(x) != std::string_view::npos; };
  return contains(config_.password) || contains(base64(config_.password))
         || contains(plain_credentials());
}

void smtp_session::close() {
  is_open_ = false;
  if (transport_)
    transport_->close();
}

} // namespace notify

#pragma once

#include "actors/providers/smtp_ticket.hpp"
#include "actors/providers/smtp_transport.hpp"

#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace notify {

/// The dialogue with one relay over one connection at a time: opens it when needed, keeps it for
/// the next mail, and replaces it when a reply may be outstanding on it, so that no mail ever
/// reads the answer to another. Lives on one strand.
class smtp_session {
public:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  /// `config`, `tls` and `look_up` outlive the session.
  smtp_session(boost::asio::any_io_executor strand, const smtp_config& config,
               boost::asio::ssl::context& tls, const smtp_lookup& look_up);

  /// Sends one mail and says what came of it. Every step has its own limit, and none goes on past
  /// the ticket's deadline. A connection kept from an earlier mail that turns out dead at its first
  /// command is replaced within the same attempt, once (421 or end of stream, RFC 5321 section
  /// 3.8); so is one that answers RCPT with 503. The message itself goes out at most once.
  awaitable<outcome> deliver(smtp_ticket& ticket);

  /// True if the connection may serve another mail.
  bool is_reusable() const { return is_open_ && messages_ < config_.max_messages_per_connection; }

  /// Closes; says QUIT before if the relay is in step, and waits briefly for its answer.
  awaitable<void> say_goodbye();

  /// Ends the step that waits, from another handler of the strand.
  void abort();

  const boost::asio::any_io_executor& strand() const { return strand_; }

  /// For the owner's idle limit; touched on the strand only.
  boost::asio::steady_timer& idle_timer() { return idle_timer_; }

private:
  /// Set if the dialogue is over, empty if it may go on.
  using step = std::optional<smtp_ending>;

  awaitable<smtp_ending> attempt(smtp_ticket& ticket, bool is_reused, bool& is_stale);
  awaitable<step> establish(smtp_ticket& ticket);
  awaitable<step> open(smtp_ticket& ticket);
  awaitable<step> secure(smtp_ticket& ticket);
  awaitable<step> greet(smtp_ticket& ticket);
  awaitable<step> start_tls(smtp_ticket& ticket);
  awaitable<step> say_hello(smtp_ticket& ticket);
  awaitable<step> log_in(smtp_ticket& ticket);
  awaitable<smtp_answer> log_in_by_prompts(smtp_ticket& ticket);
  awaitable<step> send_envelope(smtp_ticket& ticket, bool is_reused, bool& is_stale);
  awaitable<smtp_ending> send_message(smtp_ticket& ticket);
  awaitable<step> send_head(smtp_ticket& ticket, std::string_view head);
  awaitable<smtp_ending> send_tail(smtp_ticket& ticket, std::string_view tail, uint64_t total);
  awaitable<smtp_ending> read_early_reply(smtp_ticket& ticket, smtp_trouble trouble,
                                          caf::timespan limit);

  /// Writes one line and reads its reply within one limit.
  awaitable<smtp_answer> command(smtp_ticket& ticket, send_phase phase, std::string line);

  static smtp_ending over(send_phase phase, smtp_trouble trouble);
  static smtp_ending over(send_phase phase, smtp_answer answer);

  /// For a ticket that lets nothing more through: its answer was given, this one counts for
  /// nothing.
  static smtp_trouble gave_up();

  std::string plain_credentials() const;
  std::string mail_command(const outgoing_mail& mail) const;
  step check_limits(const outgoing_mail& mail) const;
  void settle(const smtp_ending& ending);
  outcome conclude(const smtp_ending& ending, const smtp_ticket& ticket, bool is_reused) const;
  bool repeats_secret(std::string_view text) const;
  void close();

  boost::asio::any_io_executor strand_;
  const smtp_config& config_;
  boost::asio::ssl::context& tls_context_;
  const smtp_lookup& look_up_;
  boost::asio::steady_timer idle_timer_;
  std::optional<smtp_transport> transport_;
  smtp_extensions extensions_;
  bool is_open_ = false;     ///< Greeted, encrypted and logged in as configured, and in step.
  bool needs_reset_ = false; ///< A refusal left a transaction open at the relay.
  bool is_aborted_ = false;
  size_t messages_ = 0; ///< Accepted on this connection.
};

} // namespace notify

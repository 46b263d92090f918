#include "tools/fake_provider/smtp_provider.hpp"

#include "tools/fake_provider/digest.hpp"
#include "tools/fake_provider/http_peer.hpp"
#include "tools/fake_provider/smtp_peer.hpp"

#include <string>
#include <utility>

namespace notify::fake {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto greeting = "220 fake-provider ESMTP";
constexpr auto extensions = "250 fake-provider\nSIZE 67108864\n8BITMIME\nSMTPUTF8\n"
                            "ENHANCEDSTATUSCODES\nAUTH PLAIN LOGIN";

class smtp_dialogue {
public:
  smtp_dialogue(smtp_peer& peer, stage& shared) : peer_(peer), shared_(shared) {}

  asio::awaitable<void> run();

private:
  /// Answers one command; false if the connection is over.
  asio::awaitable<bool> obey(const std::string& line);
  asio::awaitable<bool> hello(const std::string& line);
  asio::awaitable<bool> log_in(const std::string& line);
  asio::awaitable<bool> ask_password();
  asio::awaitable<bool> mail_from(const std::string& line);
  asio::awaitable<bool> rcpt_to(const std::string& line);
  asio::awaitable<bool> take_mail();
  asio::awaitable<bool> judge(const std::string& mail);

  /// Says what the script has for this moment, or `usual`. False if the connection is over;
  /// `is_good()` tells whether the dialogue goes on as if nothing was.
  asio::awaitable<bool> respond(moment at, std::string usual);

  /// Does what a rule says before the reply; false if the connection is over.
  asio::awaitable<bool> obey_rule(const action& rule, const std::string& key);

  bool is_good() const { return last_reply_.front() == '2' || last_reply_.front() == '3'; }

  record fresh_record() const;
  void note(const char* state);

  /// Puts a mail that was refused before its data came into the journal.
  void note_refusal(const char* state);

  smtp_peer& peer_;
  stage& shared_;
  std::string last_reply_ = "220";
  bool has_sender_ = false;
  std::string recipient_;
  uint64_t id_ = 0; ///< Of the mail in hand; 0: none.
};

asio::awaitable<void> smtp_dialogue::run() {
  auto more = co_await respond(moment::connect, greeting);
  // A relay that greets with a refusal has nothing more to say.
  more = more && is_good();
  while (more) {
    auto line = co_await peer_.read_line();
    if (!line)
      break;
    more = co_await obey(*line);
  }
}

asio::awaitable<bool> smtp_dialogue::obey(const std::string& line) {
  if (is_command(line, "EHLO") || is_command(line, "HELO"))
    co_return co_await hello(line);
  if (is_command(line, "AUTH"))
    co_return co_await log_in(line);
  if (is_command(line, "MAIL FROM:"))
    co_return co_await mail_from(line);
  if (is_command(line, "RCPT TO:"))
    co_return co_await rcpt_to(line);
  if (is_command(line, "DATA"))
    co_return co_await take_mail();
  if (is_command(line, "QUIT")) {
    co_await peer_.say("221 2.0.0 Bye");
    co_return false;
  }
  if (is_command(line, "RSET")) {
    has_sender_ = false;
    recipient_.clear();
    co_return co_await peer_.say("250 2.0.0 Ok");
  }
  if (is_command(line, "NOOP"))
    co_return co_await peer_.say("250 2.0.0 Ok");
  co_return co_await peer_.say("502 5.5.1 Command not known");
}

asio::awaitable<bool> smtp_dialogue::hello(const std::string& line) {
  has_sender_ = false;
  recipient_.clear();
  auto usual = is_command(line, "EHLO") ? extensions : "250 fake-provider";
  co_return co_await respond(moment::ehlo, usual);
}

asio::awaitable<bool> smtp_dialogue::log_in(const std::string& line) {
  auto needs_more = is_command(line, "AUTH LOGIN")
                    || (is_command(line, "AUTH PLAIN") && line.size() <= sizeof("AUTH PLAIN"));
  if (needs_more) {
    auto heard = co_await ask_password();
    if (!heard)
      co_return false;
    if (is_command(line, "AUTH LOGIN"))
      heard = co_await ask_password();
    if (!heard)
      co_return false;
  }
  co_return co_await respond(moment::auth, "235 2.7.0 Authentication successful");
}

asio::awaitable<bool> smtp_dialogue::ask_password() {
  auto asked = co_await peer_.say("334 ");
  if (!asked)
    co_return false;
  auto line = co_await peer_.read_line();
  co_return line.has_value();
}

asio::awaitable<bool> smtp_dialogue::mail_from(const std::string&) {
  if (has_sender_)
    co_return co_await peer_.say("503 5.5.1 Nested MAIL command");
  auto more = co_await respond(moment::mail, "250 2.1.0 Ok");
  has_sender_ = is_good();
  recipient_.clear();
  co_return more;
}

asio::awaitable<bool> smtp_dialogue::rcpt_to(const std::string& line) {
  if (!has_sender_)
    co_return co_await peer_.say("503 5.5.1 MAIL first");
  auto before = std::exchange(recipient_, between_brackets(line));
  auto more = co_await respond(moment::rcpt, "250 2.1.5 Ok");
  if (!more || !is_good()) {
    note_refusal(more ? "answered" : "closed");
    recipient_ = before;
  } else if (!before.empty()) {
    recipient_ = before + ',' + recipient_;
  }
  co_return more;
}

asio::awaitable<bool> smtp_dialogue::take_mail() {
  if (recipient_.empty())
    co_return co_await peer_.say("503 5.5.1 RCPT first");
  auto more = co_await respond(moment::data, "354 End data with <CR><LF>.<CR><LF>");
  if (!more || last_reply_.front() != '3') {
    note_refusal(more ? "answered" : "closed");
    co_return more;
  }
  auto mail = co_await peer_.read_mail();
  if (!mail)
    co_return false;
  more = co_await judge(*mail);
  has_sender_ = false;
  recipient_.clear();
  id_ = 0;
  co_return more;
}

asio::awaitable<bool> smtp_dialogue::judge(const std::string& mail) {
  auto fresh = fresh_record();
  fresh.key = between_brackets(header_field(mail, "Message-ID"));
  fresh.body_hash = sha256_hex(mail);
  fresh.body_bytes = mail.size();
  auto key = fresh.key;
  const auto& entry = shared_.log.begin(std::move(fresh));
  id_ = entry.id;
  auto picked =
      shared_.rules.pick({protocol::smtp, moment::request, recipient_, {}, key, entry.attempt});
  auto rule = picked.value_or(action{});
  auto accept = accepts(rule);
  if (rule.at == moment::record)
    shared_.log.accept(id_);
  auto more = co_await obey_rule(rule, key);
  if (!more)
    co_return false;
  if (accept)
    shared_.log.accept(id_);
  last_reply_ = !rule.reply.empty() ? rule.reply
                : accept            ? "250 2.0.0 Ok: queued as F" + std::to_string(id_)
                                    : "451 4.3.0 Not accepted";
  note("answered");
  more = co_await peer_.say(last_reply_);
  co_return more && !last_reply_.starts_with("421");
}

asio::awaitable<bool> smtp_dialogue::respond(moment at, std::string usual) {
  last_reply_ = std::move(usual);
  auto rule = shared_.rules.pick({protocol::smtp, at, recipient_, {}, {}, 0});
  if (rule) {
    auto more = co_await obey_rule(*rule, recipient_);
    if (!more)
      co_return false;
    if (!rule->reply.empty())
      last_reply_ = rule->reply;
  }
  auto more = co_await peer_.say(last_reply_);
  co_return more && !last_reply_.starts_with("421");
}

asio::awaitable<bool> smtp_dialogue::obey_rule(const action& rule, const std::string& key) {
  co_await pause(peer_.socket(), rule.delay);
  if (rule.what == deed::answer)
    co_return true;
  if (rule.what == deed::hold || rule.what == deed::wait) {
    note("waiting");
    auto name = key + ' ' + recipient_;
    auto released = co_await shared_.room.wait(peer_.socket(), name);
    note(released ? "open" : "gone");
    co_return released;
  }
  if (rule.what == deed::silence) {
    note("silent");
    co_await wait_for_end(peer_.socket());
    co_return false;
  }
  auto by_reset = rule.what == deed::reset;
  note(by_reset ? "reset" : "closed");
  end_connection(peer_.socket(), by_reset);
  co_return false;
}

record smtp_dialogue::fresh_record() const {
  record result;
  result.via = protocol::smtp;
  result.recipient = recipient_;
  return result;
}

void smtp_dialogue::note(const char* state) {
  auto* entry = shared_.log.find(id_);
  if (entry == nullptr)
    return;
  entry->state = state;
  if (entry->state == "answered")
    entry->answered = static_cast<unsigned>(std::stoul(last_reply_.substr(0, 3)));
}

void smtp_dialogue::note_refusal(const char* state) {
  id_ = shared_.log.begin(fresh_record()).id;
  note(state);
  id_ = 0;
}

} // namespace

asio::awaitable<void> serve_smtp(tcp::socket socket, stage& shared) {
  smtp_peer peer{std::move(socket)};
  smtp_dialogue dialogue{peer, shared};
  co_await dialogue.run();
  if (peer.socket().is_open())
    end_connection(peer.socket(), false);
}

} // namespace notify::fake

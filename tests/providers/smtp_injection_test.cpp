#include "messages/error.hpp"
#include "tests/providers/read_mail.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Text of an event stays text: it becomes no command, no header line, and arrives as it was.

namespace notify {
namespace {

using namespace std::string_literals;
using namespace test;
using kind = outcome_kind;

/// What ends a line for a relay or for some reader, with a header or a command behind it.
const std::vector<std::string> broken_lines = {
    "X\r\nBcc: a@b"s,
    "X\rBcc: a@b"s,
    "X\nBcc: a@b"s,
    "X\0Bcc: a@b"s,
    "X\r\n\r\nBcc: a@b"s,
    "X\n\r\n.\r\nMAIL FROM:<a@b>\r\n"s,
    "X\vBcc: a@b"s,
    "X\fBcc: a@b"s,
    "X\x1C"
    "Bcc: a@b"s,
    "X\xC2\x85"
    "Bcc: a@b"s,
    "X\xE2\x80\xA8"
    "Bcc: a@b"s,
    "X\xE2\x80\xA9"
    "Bcc: a@b"s,
    "\r\nBcc: a@b"s,
    "X\r\n Bcc: a@b"s,
    "X\r\n"s,
};

const std::vector<std::string> usual_headers = {
    "Subject", "From",         "To",           "Message-Id",
    "Date",    "MIME-Version", "Content-Type", "Content-Transfer-Encoding"};

/// The names of all header lines, each at most once and none that we do not write.
void check_headers(const mail_text& mail) {
  auto names = mail.header_names;
  for (const auto& name : usual_headers) {
    INFO(name);
    auto found = std::find(names.begin(), names.end(), name);
    REQUIRE(found != names.end());
    names.erase(found);
  }
  CHECK(names == std::vector<std::string>{});
}

/// One mail went through this relay, in one transaction.
received_mail only_mail(const scripted_smtp& relay) {
  CHECK(relay.count("MAIL") == 1);
  CHECK(relay.count("RCPT") == 1);
  CHECK(relay.count("DATA") == 1);
  auto mails = relay.mails();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].to == "RCPT TO:<user@example.org>");
  return mails[0];
}

TEST_CASE("P-15: a line break in a subject or a text adds no header line") {
  for (const auto& text : broken_lines) {
    INFO(text);
    scripted_smtp relay{{smtp::hello(), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    auto mail = a_mail();
    mail.content.subject = text;
    mail.content.text = text;
    CHECK(client.send(mail).kind == kind::sent);
    auto data = undo_dot_stuffing(only_mail(relay).data);
    check_wire_rules(data);
    auto seen = read_mail(data);
    check_headers(seen);
    CHECK(seen.to == "user@example.org");
    // One line for every reader: neither the breaks nor a sign of them are left.
    for (const auto* separator :
         {"\r", "\n", "\v", "\f", "\x1C", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"})
      CHECK(seen.subject.find(separator) == std::string::npos);
    CHECK(seen.subject.find('\0') == std::string::npos);
  }
}

TEST_CASE("P-15: a line break in the sender's name or in a setting is refused at the start") {
  io_threads io{1};
  for (const auto& text : broken_lines) {
    INFO(text);
    auto is_refused = [&](auto member, const std::string& value) {
      smtp_config config;
      config.*member = value;
      auto made = smtp_provider::make(io.context(), config);
      return !made && made.error() == ec::invalid_config;
    };
    CHECK(is_refused(&smtp_config::from_address, text + "@example.com"));
    CHECK(is_refused(&smtp_config::from_address, "shop@" + text));
    CHECK(is_refused(&smtp_config::helo_name, text));
    CHECK(is_refused(&smtp_config::message_id_domain, text));
    CHECK(is_refused(&smtp_config::host, text));
    if (text.find_first_of("\r\n\0"s) != std::string::npos)
      CHECK(is_refused(&smtp_config::from_name, text));
  }
}

TEST_CASE("P-15: a sender's name that is odd but allowed stays one name") {
  for (const auto& name : {"X\vBcc: a@b"s,
                           "X\xE2\x80\xA8"
                           "Bcc: a@b"s,
                           "\"X\" <evil@x>,"s, "X\\"s, "a@b"s, "=?utf-8?q?Bcc=3A?="s}) {
    INFO(name);
    scripted_smtp relay{{smtp::hello(), smtp::serve()}};
    auto config = plain_config(relay);
    config.from_name = name;
    smtp_client client{config};
    CHECK(client.send().kind == kind::sent);
    auto seen = read_mail(undo_dot_stuffing(only_mail(relay).data));
    check_headers(seen);
    CHECK(seen.from.ends_with(" <shop@example.com>"));
    CHECK(seen.from.find("evil@x>, ") == std::string::npos);
  }
}

TEST_CASE("D-F1: a recipient that could add a command is refused before a connection is made") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  std::vector<std::string> recipients{"user@example.org>\r\nRCPT TO:<evil@x"s,
                                      "user@example.org\r\n"s,
                                      "user@example.org> SIZE=1"s,
                                      "user@example.org>,<evil@x"s,
                                      "@relay:user@example.org"s,
                                      "nobody"s,
                                      ""s};
  for (const auto& text : broken_lines) {
    recipients.push_back(text);
    recipients.push_back(text + "@example.org");
    recipients.push_back("user@" + text);
    recipients.push_back("user@example.org" + text);
  }
  for (const auto& recipient : recipients) {
    INFO(recipient);
    auto mail = a_mail();
    mail.recipient = recipient;
    auto result = client.send(mail);
    CHECK(result.kind == kind::permanent);
    CHECK(result.reason == "smtp_invalid_recipient");
    CHECK(result.phase == send_phase::render);
    CHECK(result.detail.find("evil") == std::string::npos);
  }
  CHECK(relay.connections() == 0);
}

TEST_CASE("D-F1: a key that could add a header line is refused before a connection is made") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  auto keys = broken_lines;
  keys.insert(keys.end(), {"bad key"s, "a>b"s, "a@b"s, ""s});
  for (const auto& key : keys) {
    INFO(key);
    auto result = client.send(a_mail(key));
    CHECK(result.kind == kind::permanent);
    CHECK(result.reason == "smtp_invalid_message");
  }
  CHECK(relay.connections() == 0);
}

TEST_CASE("D-F2: a long subject outside ASCII comes to the relay whole, in short lines") {
  std::string letters, signs, mixed;
  for (int i = 0; i < 500; ++i) {
    letters += "Ж";
    signs += "😀";
    mixed += i % 3 == 0 ? "😀" : i % 3 == 1 ? "Ж" : " a";
  }
  for (const auto& subject : {letters, signs, letters + "😀" + letters, mixed, "x" + signs}) {
    INFO(subject);
    scripted_smtp relay{{smtp::hello(), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    auto mail = a_mail();
    mail.content.subject = subject;
    CHECK(client.send(mail).kind == kind::sent);
    auto data = undo_dot_stuffing(only_mail(relay).data);
    check_wire_rules(data);
    check_encoded_words(header_of(data));
    CHECK(read_mail(data).subject == subject);
  }
}

/// Sends these bytes past the builder, and returns what the relay took for the message.
std::string through_relay(const std::string& message) {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  raw_smtp_client client{plain_config(relay)};
  CHECK(client.send(message).kind == kind::sent);
  return undo_dot_stuffing(only_mail(relay).data);
}

/// The same lines, each ended by CRLF.
std::string whole_lines(const std::string& message) {
  std::string result;
  for (size_t i = 0; i < message.size(); ++i) {
    auto is_break = message[i] == '\r' || message[i] == '\n';
    if (message[i] == '\r' && i + 1 < message.size() && message[i + 1] == '\n')
      ++i;
    result += is_break ? "\r\n" : std::string{message[i]};
  }
  if (!result.empty() && !result.ends_with("\r\n"))
    result += "\r\n";
  return result;
}

TEST_CASE("P-17: no line of a message ends it, so that what follows runs as commands") {
  for (const auto& message :
       {"a\n.\nMAIL FROM:<x@y>\n"s, "a\r.\r"s, "\r\n.\r\n"s, "a\r\n.\r\nMAIL FROM:<x@y>\r\n"s,
        "a\n.\r\nMAIL FROM:<x@y>\r\n"s, "a\r\n.\nMAIL FROM:<x@y>\r\n"s,
        "a\r\n.\rMAIL FROM:<x@y>\r\n"s, "a\r.\r\nMAIL FROM:<x@y>\r\n"s,
        "a\n.\nMAIL FROM:<evil@x>\nRCPT TO:<evil@y>\nDATA\n"s, "\n.\r\nRSET\r\n"s,
        ".\r\nQUIT\r\n"s}) {
    INFO(message);
    CHECK(through_relay(message) == whole_lines(message));
    scripted_smtp relay{{smtp::hello(), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    auto mail = a_mail();
    mail.content.text = message;
    CHECK(client.send(mail).kind == kind::sent);
    auto lines = whole_lines(message);
    std::erase(lines, '\r');
    if (!message.ends_with('\n') && !message.ends_with('\r'))
      lines.pop_back();
    CHECK(read_mail(undo_dot_stuffing(only_mail(relay).data)).parts.at("plain") == lines);
  }
}

TEST_CASE("P-18: the bytes that arrive are the bytes that were sent, dots and all") {
  for (const auto& message :
       {".\r\n"s, "..\r\n"s, "...\r\n"s, ".x\r\n"s, "a\r\n.\r\nb\r\n"s, "a\r\n..\r\nb\r\n"s,
        "a\r\n.x\r\nb\r\n"s, ".\r\nfirst\r\n"s, "a\r\n."s, "a\r\n.."s, "."s,
        "a\r\n..b\r\n.\r\n..\r\n"s, "see http://example.com/a\r\n..b\r\n"s, "a.\r\n"s,
        "a\r\n.\r\n"s, "\r\n\r\n"s, ""s, filled(40'000, '.') + "\r\n", [] {
          std::string lines;
          for (int i = 0; i < 20'000; ++i)
            lines += ".\r\n";
          return lines;
        }()}) {
    INFO(message.substr(0, 60));
    CHECK(through_relay(message) == whole_lines(message));
  }
}

TEST_CASE("line ends of any kind become whole ones") {
  for (const auto& message : {"a\nb\n"s, "a\rb\r"s, "a\n\rb"s, "a\r\r\nb"s, "a\n\nb"s}) {
    INFO(message);
    CHECK(through_relay(message) == whole_lines(message));
  }
}

} // namespace
} // namespace notify

#include "tests/support/scripted_smtp.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <utility>

namespace notify::test::smtp {

namespace {

void remember(smtp_peer& peer, const std::string& line) {
  if (begins_with(line, "MAIL"))
    peer.current().from = line;
  else if (begins_with(line, "RCPT"))
    peer.current().to = line;
}

/// What a relay answers that accepts everything.
std::string usual_answer(const std::string& line) {
  if (begins_with(line, "EHLO"))
    return "250 scripted";
  if (begins_with(line, "QUIT"))
    return "221 bye";
  if (begins_with(line, "DATA"))
    return "354 go";
  return "250 ok";
}

} // namespace

bool begins_with(std::string_view line, std::string_view prefix) {
  return line.size() >= prefix.size()
         && std::equal(prefix.begin(), prefix.end(), line.begin(), [](char a, char b) {
              return std::toupper(static_cast<unsigned char>(a))
                     == std::toupper(static_cast<unsigned char>(b));
            });
}

smtp_step say_raw(std::string bytes) {
  return [=](smtp_peer& peer) { return peer.say(bytes); };
}

smtp_step say(std::string reply) {
  return say_raw(reply + "\r\n");
}

smtp_step expect(std::string prefix) {
  return [=](smtp_peer& peer) {
    std::string line;
    if (!peer.read_line(line)) {
      peer.server().fail("expected " + prefix + ", got the end");
      return false;
    }
    remember(peer, line);
    if (begins_with(line, prefix))
      return true;
    peer.server().fail("expected " + prefix + ", got " + line);
    return false;
  };
}

smtp_step on(std::string prefix, std::string reply) {
  return all({expect(std::move(prefix)), say(std::move(reply))});
}

smtp_step take_mail() {
  return [](smtp_peer& peer) {
    if (!peer.read_data(peer.current().data))
      return false;
    peer.server().keep(peer.current());
    peer.current() = {};
    return true;
  };
}

smtp_step start_tls() {
  return [](smtp_peer& peer) { return peer.wire().start_tls(); };
}

smtp_step close() {
  return [](smtp_peer& peer) {
    peer.wire().cut();
    return false;
  };
}

smtp_step reset() {
  return [](smtp_peer& peer) {
    peer.wire().reset();
    return false;
  };
}

smtp_step freeze() {
  return [](smtp_peer& peer) {
    peer.wire().freeze();
    return true;
  };
}

smtp_step wait_for(std::shared_future<void> signal) {
  return [=](smtp_peer& peer) {
    while (signal.wait_for(std::chrono::milliseconds{10}) != std::future_status::ready)
      if (peer.server().is_stopped())
        return false;
    return true;
  };
}

smtp_step tell(std::shared_ptr<std::promise<void>> reached) {
  auto is_told = std::make_shared<std::atomic<bool>>(false);
  return [=](smtp_peer&) {
    if (!is_told->exchange(true))
      reached->set_value();
    return true;
  };
}

smtp_step delay(std::chrono::milliseconds time) {
  return [=](smtp_peer& peer) { return peer.wire().wait(time); };
}

smtp_step serve() {
  return [](smtp_peer& peer) {
    std::string line;
    while (peer.read_line(line)) {
      remember(peer, line);
      if (!peer.say(usual_answer(line) + "\r\n") || begins_with(line, "QUIT"))
        return false;
      if (!begins_with(line, "DATA"))
        continue;
      if (!take_mail()(peer) || !peer.say("250 2.0.0 Ok: queued as 4F1B2C\r\n"))
        return false;
    }
    return false;
  };
}

smtp_step all(smtp_script steps) {
  return [=](smtp_peer& peer) {
    return std::all_of(steps.begin(), steps.end(), [&](const auto& step) { return step(peer); });
  };
}

smtp_step hello(std::vector<std::string> extensions) {
  std::string reply = extensions.empty() ? "250 scripted" : "250-scripted";
  for (size_t i = 0; i < extensions.size(); ++i)
    reply += "\r\n250" + std::string{i + 1 == extensions.size() ? " " : "-"} + extensions[i];
  return all({say("220 scripted ESMTP"), on("EHLO", reply)});
}

smtp_step to_mail() {
  return all({hello(), on("MAIL", "250 ok")});
}

smtp_step to_rcpt() {
  return all({to_mail(), on("RCPT", "250 ok")});
}

smtp_step to_data() {
  return all({to_rcpt(), on("DATA", "354 go")});
}

smtp_step to_dot() {
  return all({to_data(), take_mail()});
}

smtp_step one_mail(std::string reply) {
  return all({on("MAIL FROM:<", "250 ok"), on("RCPT TO:<", "250 ok"), on("DATA", "354 go"),
              take_mail(), say(std::move(reply))});
}

} // namespace notify::test::smtp

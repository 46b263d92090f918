#include "tests/providers/stuck_mails.hpp"

#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace notify::test {

namespace {

struct stuck_relay {
  std::string where;
  send_phase phase;
  smtp_script until;
  smtp_step late_answer;
};

std::vector<stuck_relay> stuck_relays() {
  using phase = send_phase;
  return {
      {"greeting", phase::greeting, {}, smtp::say("220 hi")},
      {"EHLO", phase::ehlo, {smtp::say("220 hi"), smtp::expect("EHLO")}, smtp::say("250 ok")},
      {"MAIL", phase::mail, {smtp::hello(), smtp::expect("MAIL")}, smtp::say("250 ok")},
      {"RCPT", phase::rcpt, {smtp::to_mail(), smtp::expect("RCPT")}, smtp::say("250 ok")},
      {"DATA", phase::data, {smtp::to_rcpt(), smtp::expect("DATA")}, smtp::say("354 go")},
      {"body", phase::body, {smtp::to_data()}, smtp::all({})},
      {"dot", phase::final_dot, {smtp::to_dot()}, smtp::say("250 ok")},
  };
}

} // namespace

stuck_mails::stuck_mails(caf::timespan deadline) {
  auto release = released_.get_future().share();
  for (auto& x : stuck_relays()) {
    auto reached = std::make_shared<std::promise<void>>();
    auto script = std::move(x.until);
    script.insert(script.end(), {smtp::tell(reached), smtp::wait_for(release),
                                 std::move(x.late_answer), smtp::serve()});
    auto& mail = mails_.emplace_back();
    mail.where = x.where;
    mail.phase = x.phase;
    mail.relay = std::make_unique<scripted_smtp>(std::move(script));
    mail.client = std::make_unique<raw_smtp_client>(plain_config(*mail.relay));
    mail.is_reached = reached->get_future();
    // Without a line break, so that the part of it in the buffers is no command for the relay.
    auto size = x.phase == send_phase::body ? size_t{6} << 20u : 10;
    mail.answer = mail.client->start(filled(size, 'x'), deadline);
  }
  for (auto& x : mails_)
    x.is_reached.wait();
}

void stuck_mails::check_that_nothing_follows() {
  std::vector<size_t> commands;
  for (const auto& x : mails_)
    commands.push_back(x.relay->commands().size());
  released_.set_value();
  for (size_t i = 0; i < mails_.size(); ++i) {
    const auto& x = mails_[i];
    INFO(x.where);
    CHECK(eventually([&] { return x.relay->open_connections() == 0; }));
    CHECK(x.relay->commands().size() == commands[i]);
    CHECK(x.relay->connections() == 1);
    CHECK(x.relay->mails().size() == (x.is_complete() ? 1 : 0));
    CHECK(eventually([&] { return x.client->gauge().busy == 0; }));
    CHECK(x.client->gauge().idle == 0);
  }
}

} // namespace notify::test

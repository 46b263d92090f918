#include "tests/providers/smtp_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

// What other senders were seen to get wrong: each case is a relay's behaviour, and what a mail must
// come to.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;
using phase = send_phase;

TEST_CASE("P-1: an idle connection's 421 is never the answer to the next mail") {
  const std::vector<std::pair<std::string, smtp_script>> endings = {
      {"and the end", {}},
      {"and a reset", {smtp::reset()}},
      {"and an open connection", {smtp::freeze()}},
      {"and whatever comes", {smtp::serve()}},
  };
  for (const auto& [name, ending] : endings) {
    INFO(name);
    auto said = std::make_shared<std::promise<void>>();
    scripted_smtp relay{{{smtp::hello(), smtp::one_mail(), smtp::say("421 idle too long"),
                          smtp::tell(said), smtp::all(ending)},
                         {smtp::hello(), smtp::serve()}}};
    smtp_client client{plain_config(relay)};
    CHECK(client.send().kind == kind::sent);
    said->get_future().wait();
    auto second = client.send(a_mail("key-2"));
    INFO(second.reason);
    CHECK(second.kind == kind::sent);
    CHECK_FALSE(second.connection_reused);
    CHECK(relay.connections() == 2);
    CHECK(relay.count("MAIL") == 2);
    CHECK(relay.mails().size() == 2);
  }
}

TEST_CASE("P-2: no answer to the dot is unknown each time, and every copy has the same id") {
  const smtp_script silent{smtp::to_dot(), smtp::freeze()};
  scripted_smtp relay{{silent, silent, {smtp::hello(), smtp::serve()}}};
  auto config = plain_config(relay);
  config.final_dot_timeout = 500ms;
  smtp_client client{config};
  for (size_t attempt = 1; attempt <= 2; ++attempt) {
    auto result = client.send();
    CHECK(result.kind == kind::unknown);
    CHECK(result.phase == phase::final_dot);
    CHECK(result.reason == "smtp_reply_timeout");
    // The provider repeats nothing by itself: when and whether is the caller's decision.
    CHECK(eventually([&] { return relay.mails().size() == attempt; }));
  }
  CHECK(client.send().kind == kind::sent);
  REQUIRE(relay.mails().size() == 3);
  for (const auto& x : relay.mails())
    CHECK(x.data.find("Message-Id: <key-1@example.com>\r\n") != std::string::npos);
}

TEST_CASE("P-3: a relay that sleeps over one mail delays no mail to another") {
  std::promise<void> awake;
  auto release = awake.get_future().share();
  scripted_smtp sleepy{{smtp::to_dot(), smtp::wait_for(release), smtp::say("250 ok")}};
  scripted_smtp swift{{smtp::hello(), smtp::serve()}};
  io_threads io{1};
  auto slow = smtp_provider::make(io.context(), plain_config(sleepy));
  auto quick = smtp_provider::make(io.context(), plain_config(swift));
  REQUIRE(slow);
  REQUIRE(quick);
  auto start = [](smtp_provider& provider, const std::string& key) {
    auto promise = std::make_shared<std::promise<outcome>>();
    provider.send(a_mail(key), [promise](outcome x) { promise->set_value(std::move(x)); });
    return promise->get_future();
  };
  auto stuck = start(**slow, "stuck");
  REQUIRE(eventually([&] { return sleepy.mails().size() == 1; }));
  std::vector<std::future<outcome>> others;
  for (int i = 0; i < 100; ++i)
    others.push_back(start(**quick, "key-" + std::to_string(i)));
  for (auto& x : others)
    CHECK(answer_of(x).kind == kind::sent);
  CHECK(swift.mails().size() == 100);
  CHECK(stuck.wait_for(0s) == std::future_status::timeout);
  awake.set_value();
  CHECK(answer_of(stuck).kind == kind::sent);
  (*slow)->stop();
  (*quick)->stop();
  io.stop();
}

TEST_CASE("P-5: a connection lost after a yes is no success") {
  const std::vector<std::pair<std::string, smtp_step>> scripts = {
      {"EHLO", smtp::hello()},
      {"MAIL", smtp::to_mail()},
      {"RCPT", smtp::to_rcpt()},
      {"DATA", smtp::all({smtp::to_rcpt(), smtp::on("DATA", "354 go")})},
  };
  for (const auto& [name, script] : scripts)
    for (const auto& end : {smtp::close(), smtp::reset()}) {
      INFO(name);
      scripted_smtp relay{{script, end}};
      raw_smtp_client client{plain_config(relay)};
      // Larger than the buffers between, so that the message cannot be out before the end.
      auto result = client.send(filled(6u << 20u, 'x'));
      CHECK(result.kind == kind::retry);
      CHECK(result.reason == "smtp_connection_lost");
      CHECK(result.provider_status == 0);
      CHECK(relay.connections() == 1);
      CHECK(relay.mails().empty());
    }
}

TEST_CASE("P-23: an unusual 4yz to RCPT is a retry") {
  for (const auto* reply : {"422 4.2.2 mailbox full", "450 4.1.2 domain not found",
                            "451 4.7.1 try later", "452 4.2.2 full", "499 ?", "400"}) {
    INFO(reply);
    scripted_smtp relay{{smtp::to_mail(), smtp::on("RCPT", reply), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    auto result = client.send();
    CHECK(result.kind == kind::retry_after);
    CHECK(result.phase == phase::rcpt);
    CHECK(result.wait_hint >= 60s);
    CHECK(relay.mails().empty());
    // The connection is good for the next mail.
    CHECK(client.send().connection_reused);
    CHECK(relay.connections() == 1);
  }
}

TEST_CASE("P-24: a 5yz is permanent at once, wherever it comes") {
  const std::vector<std::pair<std::string, smtp_script>> relays = {
      {"550 5.7.1 to the message", {smtp::to_dot(), smtp::say("550 5.7.1 no"), smtp::serve()}},
      {"554 to the message", {smtp::to_dot(), smtp::say("554 no"), smtp::serve()}},
      {"550 5.7.1 to DATA", {smtp::to_rcpt(), smtp::on("DATA", "550 5.7.1 no"), smtp::serve()}},
      {"554 to MAIL", {smtp::hello(), smtp::on("MAIL", "554 no"), smtp::serve()}},
      {"550 5.1.1 to RCPT", {smtp::to_mail(), smtp::on("RCPT", "550 5.1.1 no"), smtp::serve()}},
      {"599 to RCPT", {smtp::to_mail(), smtp::on("RCPT", "599"), smtp::serve()}},
  };
  for (const auto& [name, script] : relays) {
    INFO(name);
    scripted_smtp relay{script};
    smtp_client client{plain_config(relay)};
    CHECK(client.send().kind == kind::permanent);
    CHECK(relay.count("MAIL") == 1);
    CHECK(relay.connections() == 1);
    CHECK(relay.failures().empty());
  }
}

TEST_CASE("P-26: each recipient has an outcome of its own, whatever befalls the others") {
  scripted_smtp relay{{smtp::hello(), smtp::one_mail(), smtp::on("MAIL", "250 ok"),
                       smtp::on("RCPT TO:<second@", "550 5.1.1 no such user"),
                       smtp::on("RSET", "250 ok"), smtp::on("MAIL", "250 ok"),
                       smtp::on("RCPT TO:<third@", "452 4.2.2 full"), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_connections = 1;
  smtp_client client{config};
  std::vector<std::future<outcome>> pending;
  for (const auto* name : {"first", "second", "third", "fourth"}) {
    auto mail = a_mail(name);
    mail.recipient = name + std::string{"@example.org"};
    pending.push_back(client.start(mail));
  }
  CHECK(answer_of(pending[0]).kind == kind::sent);
  CHECK(answer_of(pending[1]).kind == kind::permanent);
  CHECK(answer_of(pending[2]).kind == kind::retry_after);
  CHECK(answer_of(pending[3]).kind == kind::sent);
  CHECK(relay.count("RCPT") == 4);
  CHECK(relay.connections() == 1);
  CHECK(relay.failures().empty());
  auto mails = relay.mails();
  REQUIRE(mails.size() == 2);
  CHECK(mails[0].to == "RCPT TO:<first@example.org>");
  CHECK(mails[1].to == "RCPT TO:<fourth@example.org>");
}

} // namespace
} // namespace notify

#include "tests/providers/smtp_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <future>
#include <string>
#include <vector>

// Connections: reuse, replacement, limits.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;

TEST_CASE("mails one after the other share a connection") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  for (int i = 0; i < 5; ++i) {
    auto result = client.send();
    CHECK(result.kind == kind::sent);
    CHECK(result.connection_reused == (i > 0));
    CHECK(result.provider_message_id == "4F1B2C");
  }
  CHECK(relay.connections() == 1);
  CHECK(relay.mails().size() == 5);
  CHECK(client.gauge().idle == 1);
}

TEST_CASE("D-D6: a connection closed while it was idle is replaced within the attempt") {
  const std::vector<std::pair<std::string, smtp_script>> endings = {
      {"end", {}},
      {"reset", {smtp::reset()}},
      {"421 to MAIL", {smtp::on("MAIL", "421 idle too long")}},
      {"end at MAIL", {smtp::expect("MAIL")}},
      {"reset at MAIL", {smtp::expect("MAIL"), smtp::reset()}},
  };
  for (const auto& [name, ending] : endings) {
    scripted_smtp relay{
        {{smtp::hello(), smtp::one_mail(), smtp::all(ending)}, {smtp::hello(), smtp::serve()}}};
    smtp_client client{plain_config(relay)};
    INFO(name);
    CHECK(client.send().kind == kind::sent);
    auto second = client.send(a_mail("key-2"));
    INFO(second.reason);
    CHECK(second.kind == kind::sent);
    CHECK_FALSE(second.connection_reused);
    CHECK(relay.connections() == 2);
    CHECK(relay.mails().size() == 2);
  }
}

TEST_CASE("D-D6: a connection found closed before it is used is replaced unseen") {
  scripted_smtp relay{{{smtp::hello(), smtp::one_mail()}, {smtp::hello(), smtp::serve()}}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().kind == kind::sent);
  REQUIRE(eventually([&] { return relay.open_connections() == 0; }));
  CHECK(client.gauge().idle == 1);
  CHECK(client.send(a_mail("key-2")).kind == kind::sent);
  CHECK(relay.count("MAIL") == 2);
  CHECK(relay.mails().size() == 2);
}

TEST_CASE("a fresh connection that says 421 to MAIL is not replaced") {
  scripted_smtp relay{{smtp::hello(), smtp::on("MAIL", "421 busy")}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().reason == "smtp_service_unavailable");
  CHECK(relay.connections() == 1);
}

TEST_CASE("only one replacement is made within an attempt") {
  scripted_smtp relay{{{smtp::hello(), smtp::one_mail(), smtp::on("MAIL", "421 bye")},
                       {smtp::hello(), smtp::on("MAIL", "421 bye")}}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().kind == kind::sent);
  CHECK(client.send().kind == kind::retry);
  CHECK(relay.connections() == 2);
}

TEST_CASE("a late reply is never read as the answer to the next mail") {
  auto late = std::make_shared<std::promise<void>>();
  scripted_smtp relay{
      {{smtp::hello(), smtp::on("MAIL", "250 ok"), smtp::on("RCPT", "250 ok"),
        smtp::on("DATA", "354 go"), smtp::take_mail(), smtp::wait_for(late->get_future().share()),
        smtp::say("552 late"), smtp::serve()},
       {smtp::hello(), smtp::serve()}}};
  auto config = plain_config(relay);
  config.final_dot_timeout = 1s;
  smtp_client client{config};
  CHECK(client.send().kind == kind::unknown);
  late->set_value();
  auto second = client.send(a_mail("key-2"));
  CHECK(second.kind == kind::sent);
  CHECK_FALSE(second.connection_reused);
  CHECK(relay.connections() == 2);
}

TEST_CASE("a refused recipient keeps the connection, and RSET comes before the next mail") {
  scripted_smtp relay{{smtp::hello(), smtp::on("MAIL", "250 ok"), smtp::on("RCPT", "550 5.1.1 no"),
                       smtp::on("RSET", "250 ok"), smtp::one_mail()}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().kind == kind::permanent);
  auto second = client.send();
  CHECK(second.kind == kind::sent);
  CHECK(second.connection_reused);
  CHECK(relay.connections() == 1);
  CHECK(relay.failures().empty());
}

TEST_CASE("RCPT out of sequence is tried once more on a new connection") {
  const auto slip =
      smtp::all({smtp::hello(), smtp::on("MAIL", "250 ok"), smtp::on("RCPT", "503 need MAIL")});
  SECTION("it works then") {
    scripted_smtp relay{{{slip}, {smtp::hello(), smtp::serve()}}};
    smtp_client client{plain_config(relay)};
    CHECK(client.send().kind == kind::sent);
    CHECK(relay.connections() == 2);
  }
  SECTION("it fails again") {
    scripted_smtp relay{smtp_script{slip}};
    smtp_client client{plain_config(relay)};
    CHECK(client.send().reason == "smtp_bad_sequence");
    CHECK(relay.connections() == 2);
  }
}

TEST_CASE("a connection carries no more mails than configured and ends with QUIT") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_messages_per_connection = 2;
  config.max_connections = 1;
  smtp_client client{config};
  for (auto& x : start_many(client, 5))
    CHECK(answer_of(x).kind == kind::sent);
  CHECK(relay.connections() == 3);
  CHECK(eventually([&] { return relay.count("QUIT") == 2; }));
}

TEST_CASE("an idle connection says goodbye after its time") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_idle = 20ms;
  smtp_client client{config};
  CHECK(client.send().kind == kind::sent);
  CHECK(eventually([&] { return relay.count("QUIT") == 1 && relay.open_connections() == 0; }));
  CHECK(client.gauge().idle == 0);
  CHECK(client.send().kind == kind::sent);
}

TEST_CASE("no more connections than configured are open, the rest waits") {
  auto open = std::make_shared<std::promise<void>>();
  scripted_smtp relay{{smtp::hello(), smtp::wait_for(open->get_future().share()), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_connections = 3;
  smtp_client client{config};
  auto pending = start_many(client, 20);
  CHECK(eventually([&] { return relay.connections() == 3; }));
  CHECK(client.gauge().busy == 3);
  CHECK(client.gauge().waiting == 17);
  open->set_value();
  for (auto& x : pending)
    CHECK(answer_of(x).kind == kind::sent);
  CHECK(relay.connections() == 3);
  CHECK(relay.mails().size() == 20);
  CHECK(client.gauge().waiting == 0);
}

TEST_CASE("a mail sent from within an answer finds the connection free") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  std::promise<outcome> second;
  client.provider().send(a_mail(), [&](const outcome&) {
    client.provider().send(a_mail("key-2"), [&](outcome x) { second.set_value(std::move(x)); });
  });
  auto pending = second.get_future();
  CHECK(answer_of(pending).connection_reused);
  CHECK(relay.connections() == 1);
}

TEST_CASE("many mails over many connections all arrive") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_connections = 8;
  config.max_messages_per_connection = 7;
  smtp_client client{config};
  auto pending = start_many(client, 300);
  for (auto& x : pending)
    CHECK(answer_of(x).kind == kind::sent);
  CHECK(relay.mails().size() == 300);
  CHECK(relay.failures().empty());
}

} // namespace
} // namespace notify

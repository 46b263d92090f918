#include "tests/providers/stuck_mails.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

// The orderly stop: every mail is answered at once, and the answer stays true.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;

/// The answer that is there already.
outcome given_answer(std::future<outcome>& x) {
  REQUIRE(x.wait_for(0s) == std::future_status::ready);
  return x.get();
}

void check_given_back(const outcome& x) {
  INFO(x.reason << ", " << x.detail);
  CHECK(to_string(x.kind) == to_string(kind::interrupted));
  CHECK(x.reason == "smtp_stopped");
}

TEST_CASE("stop gives every mail back that is not complete, and nothing of it goes out later") {
  stuck_mails stuck;
  for (auto& x : stuck.all()) {
    INFO(x.where);
    x.client->stop();
    auto result = given_answer(x.answer);
    if (x.is_complete())
      CHECK(result.kind == kind::unknown);
    else
      check_given_back(result);
  }
  stuck.check_that_nothing_follows();
}

TEST_CASE("stop gives a mail back whose relay's name is being looked up") {
  smtp_config config;
  config.security = smtp_security::none;
  std::promise<smtp_addresses_found> asked;
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{config, 1, [&](const std::string&, uint16_t, smtp_addresses_found found) {
                       asked.set_value(std::move(found));
                     }};
  auto pending = client.start(a_mail());
  auto found = asked.get_future().get();
  client.provider().stop();
  check_given_back(given_answer(pending));
  found({}, {{boost::asio::ip::address_v4::loopback(), relay.port()}});
  CHECK(eventually([&] { return client.gauge().busy == 0; }));
  CHECK(relay.connections() == 0);
}

TEST_CASE("stop gives back what waits for a connection") {
  scripted_smtp relay{{smtp::hello(), smtp::expect("MAIL"), smtp::freeze()}};
  auto config = plain_config(relay);
  config.max_connections = 1;
  smtp_client client{config};
  auto pending = start_many(client, 3);
  REQUIRE(eventually([&] { return relay.count("MAIL") == 1; }));
  client.provider().stop();
  for (auto& x : pending)
    check_given_back(given_answer(x));
  CHECK(client.gauge().waiting == 0);
  CHECK(eventually([&] { return relay.open_connections() == 0; }));
  CHECK(relay.connections() == 1);
}

TEST_CASE("after a stop idle connections say goodbye, and later mails are turned away") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().kind == kind::sent);
  client.provider().stop();
  CHECK(eventually([&] { return relay.count("QUIT") == 1; }));
  check_given_back(client.send());
  CHECK(relay.connections() == 1);
}

TEST_CASE("a stop in the midst of many mails gives back only what was not accepted") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  auto config = plain_config(relay);
  config.max_connections = 8;
  smtp_client client{config};
  auto pending = start_many(client, 1000);
  REQUIRE(eventually([&] { return relay.mails().size() > 50; }));
  client.provider().stop();
  std::vector<outcome> results;
  for (auto& x : pending)
    results.push_back(given_answer(x));
  REQUIRE(eventually([&] { return relay.open_connections() == 0; }));
  std::set<std::string> arrived;
  for (const auto& x : relay.mails()) {
    auto begin = x.data.find("Message-Id: <") + 13;
    arrived.insert(x.data.substr(begin, x.data.find('@', begin) - begin));
  }
  size_t given_back = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    INFO(i << ": " << to_string(results[i].kind) << ", " << results[i].reason);
    auto is_there = arrived.count("key-" + std::to_string(i)) != 0;
    if (results[i].kind == kind::sent)
      CHECK(is_there);
    else if (results[i].kind != kind::unknown) {
      check_given_back(results[i]);
      CHECK_FALSE(is_there);
      ++given_back;
    }
  }
  CHECK(given_back > 0);
}

TEST_CASE("every mail is answered once when the I/O threads end in the middle") {
  scripted_smtp relay{{smtp::hello(), smtp::expect("MAIL"), smtp::freeze()}};
  std::future<outcome> pending;
  {
    io_threads io{1};
    auto provider = smtp_provider::make(io.context(), plain_config(relay));
    REQUIRE(provider);
    auto promise = std::make_shared<std::promise<outcome>>();
    pending = promise->get_future();
    (*provider)->send(a_mail(), [promise](outcome x) { promise->set_value(std::move(x)); });
    REQUIRE(eventually([&] { return relay.count("MAIL") == 1; }));
    io.stop();
  }
  auto result = given_answer(pending);
  CHECK((result.kind == kind::retry || result.kind == kind::interrupted));
}

} // namespace
} // namespace notify

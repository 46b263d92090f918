#include "tests/providers/stuck_mails.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// The deadline of the whole send: at each phase of the dialogue, and while no connection is free.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;
using phase = send_phase;

send_request in_time(caf::timespan deadline, const std::string& key = "key-1") {
  auto result = a_mail(key);
  result.deadline = deadline;
  return result;
}

void check(const outcome& result, kind expected, phase reached, const std::string& reason) {
  INFO(result.reason << ", " << result.detail);
  CHECK(to_string(result.kind) == to_string(expected));
  CHECK(to_string(result.phase) == to_string(reached));
  CHECK(result.reason == reason);
}

TEST_CASE("D-D3: the send's deadline holds at every step, and nothing goes out after it") {
  // All at once: each takes the whole deadline.
  stuck_mails stuck{3s};
  for (auto& x : stuck.all()) {
    INFO(x.where);
    if (x.is_complete())
      check(answer_of(x.answer), kind::unknown, x.phase, "smtp_reply_timeout");
    else
      check(answer_of(x.answer), kind::retry, x.phase, "smtp_timeout");
  }
  stuck.check_that_nothing_follows();
}

/// Listens, and its queue of connections is full: further ones are not answered.
class full_listener {
public:
  full_listener() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto fd = open_socket(0);
    socklen_t size = sizeof(address_);
    REQUIRE(::bind(fd, generic(), size) == 0);
    REQUIRE(::listen(fd, 0) == 0);
    REQUIRE(::getsockname(fd, generic(), &size) == 0);
    for (int i = 0; i < 4; ++i)
      ::connect(open_socket(SOCK_NONBLOCK), generic(), size);
  }

  ~full_listener() {
    for (auto fd : sockets_)
      ::close(fd);
  }

  uint16_t port() const { return ntohs(address_.sin_port); }

private:
  int open_socket(int flags) {
    sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    return sockets_.back();
  }

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address_); }

  sockaddr_in address_{};
  std::vector<int> sockets_;
};

TEST_CASE("D-D3: the send's deadline holds before the dialogue: name, connection, TLS") {
  // A lookup that never answers, until it is too late.
  std::promise<smtp_addresses_found> asked;
  smtp_config config;
  config.security = smtp_security::none;
  config.host = "relay.example";
  scripted_smtp never{{smtp::hello(), smtp::serve()}};
  smtp_client nameless{config, 1, [&](const std::string&, uint16_t, smtp_addresses_found found) {
                         asked.set_value(std::move(found));
                       }};
  auto resolving = nameless.start(in_time(1s));

  full_listener full;
  config.host = "127.0.0.1";
  config.port = full.port();
  smtp_client unconnected{config};
  auto connecting = unconnected.start(in_time(1s));

  test_identity identity{"localhost"};
  scripted_smtp silent{{smtp::freeze()}};
  smtp_client unencrypted{tls_config(silent, smtp_security::tls, identity)};
  auto shaking_hands = unencrypted.start(in_time(1s));

  check(answer_of(resolving), kind::retry, phase::resolve, "smtp_resolve_timeout");
  check(answer_of(connecting), kind::retry, phase::connect, "smtp_connect_timeout");
  check(answer_of(shaking_hands), kind::retry, phase::tls, "smtp_timeout");
  CHECK(eventually([&] { return silent.open_connections() == 0; }));

  asked.get_future().get()({}, {{boost::asio::ip::address_v4::loopback(), never.port()}});
  CHECK(eventually([&] { return nameless.gauge().busy == 0; }));
  CHECK(never.connections() == 0);
}

TEST_CASE("D-D3: a relay that is slow at every step is given up at the send's deadline") {
  const auto slowly = smtp::delay(400ms);
  scripted_smtp relay{{smtp::say("220 hi"), smtp::expect("EHLO"), slowly, smtp::say("250 ok"),
                       smtp::expect("MAIL"), slowly, smtp::say("250 ok"), smtp::expect("RCPT"),
                       slowly, smtp::say("250 ok"), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  auto result = client.send(in_time(1s));
  CHECK(result.kind == kind::retry);
  CHECK(result.bytes_sent == 0);
  CHECK(eventually([&] { return relay.open_connections() == 0; }));
  CHECK(relay.count("DATA") == 0);
}

TEST_CASE("D-A10: a mail taken without an answer is unknown, and its repetition has the same id") {
  scripted_smtp relay{{{smtp::to_dot(), smtp::freeze()}, {smtp::hello(), smtp::serve()}}};
  smtp_client client{plain_config(relay)};
  auto lost = client.send(in_time(3s));
  check(lost, kind::unknown, phase::final_dot, "smtp_reply_timeout");
  CHECK(lost.bytes_sent > 0);
  CHECK(client.send(in_time(1min)).kind == kind::sent);
  auto mails = relay.mails();
  REQUIRE(mails.size() == 2);
  for (const auto& x : mails)
    CHECK(x.data.find("Message-Id: <key-1@example.com>\r\n") != std::string::npos);
}

TEST_CASE("a ticket lets no phase begin after its deadline and says how far it came") {
  std::vector<outcome> answers;
  auto deadline = smtp_ticket::clock::now() + 100ms;
  auto is_past = [&] { return smtp_ticket::clock::now() >= deadline; };
  smtp_ticket ticket{{}, deadline, [&](outcome x) { answers.push_back(std::move(x)); }};
  REQUIRE(ticket.enter(phase::rcpt));
  CHECK(ticket.limit(1h) <= 100ms);
  CHECK(ticket.limit(1ns) == 1ns);
  REQUIRE(eventually(is_past));
  CHECK(ticket.limit(1h) == 0s);
  CHECK_FALSE(ticket.enter(phase::data));
  CHECK_FALSE(ticket.enter(phase::final_dot));
  ticket.expire();
  ticket.stop();
  REQUIRE(answers.size() == 1);
  check(answers.front(), kind::retry, phase::rcpt, "smtp_timeout");
}

TEST_CASE("a mail that waits for a connection past its deadline never goes out") {
  std::promise<void> released;
  scripted_smtp relay{{smtp::hello(), smtp::expect("MAIL"),
                       smtp::wait_for(released.get_future().share()), smtp::say("250 ok"),
                       smtp::serve()}};
  auto config = plain_config(relay);
  config.max_connections = 1;
  smtp_client client{config};
  auto first = client.start(a_mail("first"));
  REQUIRE(eventually([&] { return relay.count("MAIL") == 1; }));
  auto patient = client.start(a_mail("patient"));
  auto hasty = client.start(in_time(300ms, "hasty"));
  auto hastier = client.start(in_time(10ms, "hastier"));
  check(answer_of(hastier), kind::retry, phase::none, "smtp_pool_busy");
  check(answer_of(hasty), kind::retry, phase::none, "smtp_pool_busy");
  CHECK(client.gauge().waiting == 1);
  CHECK(client.gauge().busy == 1);
  released.set_value();
  CHECK(answer_of(first).kind == kind::sent);
  CHECK(answer_of(patient).kind == kind::sent);
  CHECK(client.send(a_mail("last")).kind == kind::sent);
  auto mails = relay.mails();
  REQUIRE(mails.size() == 3);
  for (const auto& x : mails)
    CHECK(x.data.find("Message-Id: <hast") == std::string::npos);
}

TEST_CASE("a deadline without an end, or one that is over, is taken as it is") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send(in_time(caf::timespan::max())).kind == kind::sent);
  check(client.send(in_time(0s)), kind::retry, phase::none, "smtp_pool_busy");
  check(client.send(in_time(-1s)), kind::retry, phase::none, "smtp_pool_busy");
  CHECK(client.send().kind == kind::sent);
  CHECK(relay.mails().size() == 2);
}

} // namespace
} // namespace notify

#include "tests/http_client/fixture.hpp"

#include "tests/http_client/full_listener.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace test;

/// Sends, stops once `is_there` holds, and checks that there is one answer.
http_exchange stopped_when(http_test_client& client, http_request request,
                           const std::function<bool()>& is_there) {
  auto pending = client.start(std::move(request));
  REQUIRE(eventually(is_there));
  client.stop();
  // Given by `stop` itself.
  REQUIRE(pending.wait_for(0s) == std::future_status::ready);
  CHECK(client.answers() == 1);
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 0);
  return pending.get();
}

TEST_CASE("a stop during the lookup is answered once, and nothing is sent") {
  std::promise<std::function<void(host_lookup)>> asked;
  http_test_client client{{}, {}, [&](const std::string&, auto done) { asked.set_value(done); }};
  auto looks_up = asked.get_future();
  auto result = stopped_when(client, post("http://shop.example/"),
                             [&] { return looks_up.wait_for(0s) == std::future_status::ready; });
  CHECK(result.event == http_event::stopped);
  CHECK(result.phase == send_phase::resolve);
  CHECK_FALSE(result.request_complete);
  // The lookup ends later, to no effect.
  looks_up.get()({{}, {boost::asio::ip::make_address("127.0.0.1")}});
}

TEST_CASE("a stop during the connect is answered once") {
  full_listener listener;
  std::atomic<bool> was_resolved = false;
  http_test_client client{{}, [&](const boost::asio::ip::address&) { return was_resolved = true; }};
  auto result = stopped_when(client, post(listener.url()), [&] { return was_resolved.load(); });
  CHECK(result.event == http_event::stopped);
  CHECK((result.phase == send_phase::connect || result.phase == send_phase::resolve));
  CHECK_FALSE(result.request_complete);
}

TEST_CASE("a stop during the TLS handshake is answered once") {
  scripted_http server{{web::freeze()}};
  http_test_client client;
  auto result = stopped_when(client, post(server.url("/", "https")),
                             [&] { return client.gauge().connections == 1; });
  CHECK(result.event == http_event::stopped);
  CHECK((result.phase == send_phase::tls || result.phase == send_phase::connect));
  CHECK_FALSE(result.request_complete);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("after a stop while the body goes out no more of it arrives") {
  std::promise<void> may_read;
  scripted_http server{
      {web::take_head(), web::wait_for(may_read.get_future().share()), web::drain()}};
  http_test_client client;
  auto result =
      stopped_when(client, post(server.url(), huge_body()), [&] { return server.count() == 1; });
  CHECK(result.event == http_event::stopped);
  CHECK(result.phase == send_phase::send_body);
  CHECK_FALSE(result.request_complete);
  may_read.set_value();
  REQUIRE(eventually([&] { return server.open_connections() == 0; }));
  auto seen = server.requests().at(0);
  CHECK(result.bytes_sent < huge_body().size());
  CHECK(seen.head.size() + seen.body.size() <= result.bytes_sent);
}

TEST_CASE("a stop while the answer is due says that the request is complete") {
  scripted_http server{{web::take_request(), web::freeze()}};
  http_test_client client;
  auto result = stopped_when(client, post(server.url()), [&] {
    return server.count() == 1 && server.requests().at(0).is_complete;
  });
  CHECK(result.event == http_event::stopped);
  CHECK(result.phase == send_phase::wait_reply);
  CHECK(result.request_complete);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a stop in the middle of the answer keeps its status or says that it was stopped") {
  std::promise<void> spoke;
  auto said = spoke.get_future();
  auto tell = [&](http_peer&) {
    spoke.set_value();
    return true;
  };
  scripted_http server{{web::take_request(),
                        web::say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), tell,
                        web::freeze()}};
  http_test_client client;
  auto result = stopped_when(client, post(server.url()),
                             [&] { return said.wait_for(0s) == std::future_status::ready; });
  CHECK(result.request_complete);
  CHECK_FALSE(result.body_complete);
  CHECK(result.event == (result.status == 200 ? http_event::answered : http_event::stopped));
}

TEST_CASE("what is sent after a stop is answered at once, and idle connections are closed") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  CHECK(client.send(post(server.url())).status == 200);
  client.stop();
  CHECK(eventually([&] { return server.open_connections() == 0; }));
  auto pending = client.start(post(server.url()));
  REQUIRE(pending.wait_for(0s) == std::future_status::ready);
  auto result = pending.get();
  CHECK(result.event == http_event::stopped);
  CHECK(result.phase == send_phase::none);
  CHECK_FALSE(result.request_complete);
  CHECK(server.count() == 1);
  client.stop();
}

TEST_CASE("whenever the stop comes, an incomplete request stays incomplete") {
  test_identity identity{"localhost"};
  auto is_secure = GENERATE(false, true);
  for (auto round = 0; round < 60; ++round) {
    http_script script{web::take_request(), web::answer(200), web::close()};
    if (is_secure)
      script.insert(script.begin(), web::start_tls());
    scripted_http server{script};
    server.use_identity(identity);
    http_test_client client{trusting(identity)};
    auto url =
        std::string{is_secure ? "https" : "http"} + "://localhost:" + std::to_string(server.port());
    auto pending = client.start(post(url, filled(size_t{20'000} * (round % 20 + 1), 'x')));
    // Stops at a different point of the way each time, as the machine has it.
    for (auto i = 0; i < round % 12 && pending.wait_for(100us) == std::future_status::timeout; ++i)
      continue;
    client.stop();
    auto result = answer_of(pending);
    CHECK(client.answers() == 1);
    REQUIRE(eventually([&] { return server.open_connections() == 0; }));
    auto requests = server.requests();
    auto arrived = !requests.empty() && requests[0].is_complete;
    INFO("round " << round << ", " << to_string(result.event) << ", " << to_string(result.phase));
    if (!result.request_complete)
      CHECK_FALSE(arrived);
    if (result.event == http_event::answered && result.status != 0)
      CHECK(result.request_complete);
  }
}

TEST_CASE("a request is answered even if the I/O context ends under it") {
  scripted_http server{{web::take_request(), web::answer(200), web::take_request(), web::freeze()}};
  std::atomic<size_t> answers = 0;
  http_exchange last;
  http_client_ptr client;
  {
    boost::asio::io_context io;
    client = *http_client::make(io, {});
    auto done = [&](http_exchange x) {
      ++answers;
      last = std::move(x);
    };
    // The first leaves an idle connection behind, the second is under way on another.
    client->send(post(server.url()), done);
    while (answers == 0)
      io.run_one();
    CHECK(client->gauge().idle == 1);
    client->send(post(server.url()), done);
    while (server.count() < 2)
      io.run_one_for(10ms);
    // Never begun.
    client->send(post(server.url()), done);
    CHECK(client->gauge().busy == 2);
  }
  CHECK(answers == 3);
  CHECK(last.event == http_event::failed);
  CHECK(client->gauge().busy == 0);
  client->stop();
  CHECK(answers == 3);
}

} // namespace
} // namespace notify

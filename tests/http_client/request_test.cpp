#include "tests/http_client/fixture.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace notify {
namespace {

using namespace test;
using namespace std::string_literals;

TEST_CASE("a request arrives as it was given, with the headers that the client owes") {
  scripted_http server{{web::serve(202, "taken")}};
  http_client_config config;
  config.user_agent = "notifyd/1.2";
  http_test_client client{config};
  auto request = post(server.url("/v1/send?x=%20y"), "{\"a\":1}");
  request.headers = {{"Content-Type", "application/json"}, {"X-One", "1"}, {"X-One", "2"}};
  auto result = client.send(request);
  CHECK(result.event == http_event::answered);
  CHECK(result.phase == send_phase::done);
  CHECK(result.status == 202);
  CHECK(result.body == "taken");
  CHECK(result.body_complete);
  CHECK(result.request_complete);
  CHECK_FALSE(result.connection_reused);
  CHECK(result.detail.empty());
  REQUIRE(server.count() == 1);
  auto seen = server.requests().at(0);
  CHECK(seen.is_complete);
  CHECK(seen.head.starts_with("POST /v1/send?x=%20y HTTP/1.1\r\n"));
  CHECK(seen.header("Host") == "127.0.0.1:" + std::to_string(server.port()));
  CHECK(seen.header("User-Agent") == "notifyd/1.2");
  CHECK(seen.header("Accept-Encoding") == "identity");
  CHECK(seen.header("Connection") == "keep-alive");
  CHECK(seen.header("Content-Length") == "7");
  CHECK(seen.header("Content-Type") == "application/json");
  CHECK(seen.count("X-One") == 2);
  CHECK(seen.count("Expect") == 0);
  CHECK(seen.body == "{\"a\":1}");
  CHECK(result.bytes_sent == seen.head.size() + seen.body.size());
}

TEST_CASE("a large body goes out whole and without asking for leave") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto result = client.send(post(server.url(), huge_body()));
  CHECK(result.status == 200);
  CHECK(result.request_complete);
  auto seen = server.requests().at(0);
  CHECK(seen.count("Expect") == 0);
  CHECK(seen.body.size() == huge_body().size());
  CHECK(result.bytes_sent == seen.head.size() + seen.body.size());
}

TEST_CASE("a GET has no body and no length, an empty POST says so") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto get = post(server.url("/a"), "");
  get.method = "GET";
  CHECK(client.send(get).status == 200);
  CHECK(client.send(post(server.url("/b"), "")).status == 200);
  CHECK(server.requests().at(0).count("Content-Length") == 0);
  CHECK(server.requests().at(1).header("Content-Length") == "0");
}

TEST_CASE("the answer to a HEAD has no body, whatever its length says") {
  scripted_http server{{web::repeat(
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")})}};
  http_test_client client;
  auto head = post(server.url(), "");
  head.method = "HEAD";
  auto result = client.send(head);
  CHECK(result.body_complete);
  CHECK(result.body.empty());
  CHECK(client.send(head).connection_reused);
}

TEST_CASE("a header that would end its line is refused, and nothing is sent") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto value = GENERATE("a\r\nX-Evil: 1"s, "a\nX-Evil: 1"s, "a\rb"s, "a\0b"s, "\r\n\r\nGET /"s,
                        "a\x01"s, "a\x7f"s);
  auto request = post(server.url());
  request.headers = {{"X-Note", value}};
  auto result = client.send(request);
  CHECK(result.event == http_event::invalid_request);
  CHECK(result.phase == send_phase::none);
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent == 0);
  CHECK(result.detail.find("Evil") == std::string::npos);
  CHECK(server.connections() == 0);
}

TEST_CASE("a header's name is a token, or nothing is sent") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto name = GENERATE(""s, "X Note"s, "X-Note:"s, "X\r\nY"s, "X\nY"s, "X\0Y"s, "\xC3\xA9"s);
  auto request = post(server.url());
  request.headers = {{name, "1"}};
  CHECK(client.send(request).event == http_event::invalid_request);
  CHECK(server.connections() == 0);
}

TEST_CASE("headers that frame the request are the client's alone") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto name = GENERATE("Host"s, "content-length"s, "Transfer-Encoding"s, "CONNECTION"s, "Expect"s,
                       "Upgrade"s, "Accept-Encoding"s);
  auto request = post(server.url());
  request.headers = {{name, "1"}};
  auto result = client.send(request);
  CHECK(result.event == http_event::invalid_request);
  CHECK(server.connections() == 0);
}

TEST_CASE("a method cannot smuggle in a request") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto request = post(server.url());
  request.method = GENERATE(""s, "GET / HTTP/1.1\r\nX: y\r\n\r\nPOST"s, "PO ST"s, "CONNECT"s);
  CHECK(client.send(request).event == http_event::invalid_request);
  CHECK(server.connections() == 0);
}

TEST_CASE("a URL of no use is refused without showing it") {
  http_test_client client;
  auto result = client.send(post("https://user:secret@example.com/token"));
  CHECK(result.event == http_event::invalid_request);
  CHECK(result.detail == "not an absolute URL of HTTP");
}

TEST_CASE("the caller's own user agent goes instead of ours") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto request = post(server.url());
  request.headers = {{"user-agent", "shop"}};
  CHECK(client.send(request).status == 200);
  CHECK(server.requests().at(0).count("User-Agent") == 1);
  CHECK(server.requests().at(0).header("User-Agent") == "shop");
}

TEST_CASE("settings of no use are refused with the option's name") {
  boost::asio::io_context io;
  auto refuses = [&](auto change) {
    http_client_config config;
    change(config);
    return !http_client::make(io, config);
  };
  CHECK(refuses([](auto& x) { x.ca_file = "/nonexistent/ca.pem"; }));
  CHECK(refuses([](auto& x) { x.user_agent = "a\r\nb"; }));
  CHECK(refuses([](auto& x) { x.max_head_bytes = 0; }));
  CHECK(refuses([](auto& x) { x.max_requests_per_connection = 0; }));
  CHECK(refuses([](auto& x) { x.connect_timeout = caf::timespan{0}; }));
  CHECK_FALSE(refuses([](auto&) {}));
}

} // namespace
} // namespace notify

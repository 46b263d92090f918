#include "tests/http_client/fixture.hpp"

#include "messages/safe_text.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace test;
using namespace std::string_literals;

/// What a client makes of a server that says these bytes and leaves.
http_exchange answer_to(const std::string& bytes) {
  scripted_http server{{web::take_request(), web::say(bytes), web::close()}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(server.count() == 1);
  CHECK(client.gauge().busy == 0);
  return result;
}

TEST_CASE("every status is an answer") {
  auto status = GENERATE(200, 201, 204, 304, 400, 401, 404, 409, 410, 429, 500, 503, 599, 999);
  scripted_http server{{web::serve(status, status == 204 || status == 304 ? "" : "why")}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == status);
  CHECK(result.body_complete);
}

TEST_CASE("headers are found whatever their case, and repetitions are kept") {
  auto result = answer_to("HTTP/1.1 429 Slow down\r\nRETRY-AFTER: 7\r\nX-A: 1\r\nx-a: 2\r\n"
                          "Content-Length: 0\r\n\r\n");
  CHECK(result.header("Retry-After") == "7");
  CHECK(result.header("X-Missing").empty());
  CHECK(result.header("x-a") == "1");
  CHECK(result.headers
        == http_headers{{"RETRY-AFTER", "7"}, {"X-A", "1"}, {"x-a", "2"}, {"Content-Length", "0"}});
}

TEST_CASE("a body in chunks is put together, and its trailers are dropped") {
  scripted_http server{
      {web::repeat({web::take_request(), web::answer_in_chunks(200, {"one", "two"})})}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.body == "onetwo");
  CHECK(result.body_complete);
  CHECK(client.send(post(server.url())).connection_reused);
  auto trailed = answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "3;x=y\r\nabc\r\n0\r\nX-Evil: 1\r\n\r\n");
  CHECK(trailed.body == "abc");
  CHECK(trailed.body_complete);
  CHECK(trailed.header("X-Evil").empty());
}

TEST_CASE("a body without a length ends with the connection") {
  auto result = answer_to("HTTP/1.0 200 OK\r\n\r\nall of it");
  CHECK(result.body == "all of it");
  CHECK(result.body_complete);
}

TEST_CASE("interim answers are skipped") {
  auto result = answer_to("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                          "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok");
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 201);
  CHECK(result.body == "ok");
  CHECK(result.header("Link").empty());
}

TEST_CASE("only interim answers are none") {
  auto result = answer_to("HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(result.event == http_event::closed);
  CHECK(result.status == 0);
  CHECK(result.request_complete);
}

TEST_CASE("an answer cut in its body still has its status") {
  auto bytes = GENERATE("HTTP/1.1 202 OK\r\nContent-Length: 10\r\n\r\nhalf"s,
                        "HTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"s,
                        "HTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalfXX5\r\n"s);
  auto result = answer_to(bytes);
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 202);
  CHECK(result.body == "half");
  CHECK_FALSE(result.body_complete);
  CHECK_FALSE(result.detail.empty());
}

TEST_CASE("an answer cut in its head has the status of its first line") {
  auto result = answer_to("HTTP/1.1 202 OK\r\nContent-Len");
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 202);
  CHECK_FALSE(result.body_complete);
  CHECK(answer_to("HTTP/1.1 20").event == http_event::closed);
}

TEST_CASE("no answer at all is told from a bad one") {
  auto result = answer_to("");
  CHECK(result.event == http_event::closed);
  CHECK(result.phase == send_phase::wait_reply);
  CHECK(result.request_complete);
}

TEST_CASE("what is not HTTP is malformed") {
  auto bytes = GENERATE(
      "SSH-2.0-OpenSSH_9.2\r\n"s, "\0\1\2\3 garbage\r\n\r\n"s, "220 mail.example.com ESMTP\r\n"s,
      "HTTP/2.0 200 OK\r\n\r\n"s, "HTTP/1.1 OK\r\n\r\n"s, "HTTP/1.1 2x0 OK\r\n\r\n"s,
      "<html></html>\r\n\r\n"s, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"s);
  auto result = answer_to(bytes);
  CHECK(result.event == http_event::malformed);
  CHECK(result.status == 0);
  CHECK(result.request_complete);
  CHECK(safe_text(result.detail, 200) == result.detail);
}

TEST_CASE("a bad head after a good first line is malformed, with the status") {
  auto bytes = GENERATE("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"s,
                        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"s,
                        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"s,
                        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"s);
  auto result = answer_to(bytes);
  CHECK(result.event == http_event::malformed);
  CHECK(result.status == 200);
}

TEST_CASE("D-B3: compressed, random and cut bytes come as they are") {
  auto gzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xfe\x00\x80"s;
  scripted_http server{{web::take_request(), web::answer(200, gzip, {{"Content-Encoding", "gzip"}}),
                        web::take_request(), web::answer(502, "\xD0"s)}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.body == gzip);
  CHECK(result.body_complete);
  CHECK(result.header("Content-Encoding") == "gzip");
  CHECK(client.send(post(server.url())).body == "\xD0");
}

TEST_CASE("D-D1: no redirect is followed, and a POST stays what it is") {
  scripted_http elsewhere{{web::serve()}};
  auto status = GENERATE(301, 302, 303, 307, 308);
  auto place = GENERATE(0, 1);
  auto location = place == 0 ? elsewhere.url("/other") : "http://169.254.169.254/latest/meta-data";
  scripted_http server{{web::serve(status, "", {{"Location", location}})}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == status);
  CHECK(result.header("Location") == location);
  CHECK(server.count() == 1);
  CHECK(client.gauge().connections == 1);
  CHECK(elsewhere.connections() == 0);
}

TEST_CASE("a refusal that comes before the request is complete is read") {
  // The server never reads the body, so only a refusal can end this.
  scripted_http server{{web::take_head(), web::answer(413, "too large"), web::freeze()}};
  http_test_client client;
  auto result = client.send(post(server.url(), huge_body()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 413);
  CHECK(result.body == "too large");
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent < huge_body().size());
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 0);
}

TEST_CASE("a success that comes before the request is complete waits for its end") {
  std::promise<void> may_read;
  scripted_http server{{web::take_head(), web::answer(200, "ok"),
                        web::wait_for(may_read.get_future().share()), web::drain()}};
  http_test_client client;
  auto pending = client.start(post(server.url(), huge_body()));
  may_read.set_value();
  auto result = answer_of(pending);
  CHECK(result.status == 200);
  CHECK(result.request_complete);
  CHECK(result.body_complete);
}

} // namespace
} // namespace notify

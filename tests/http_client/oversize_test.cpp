#include "tests/http_client/fixture.hpp"

#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

#include <unistd.h>

namespace notify {
namespace {

using namespace test;

constexpr size_t limit = size_t{64} * 1024;

/// Bytes of memory that this process has now.
size_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  size_t all = 0;
  size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_CASE("D-B2: a body of fifty megabytes is cut, and the status counts") {
  auto piece = filled(size_t{1024} * 1024, 'b');
  http_script script{web::take_request(),
                     web::say("HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n")};
  script.insert(script.end(), 50, web::say(piece));
  scripted_http server{script};
  http_test_client client;
  auto before = resident_bytes();
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 200);
  CHECK(result.body == filled(limit, 'b'));
  CHECK_FALSE(result.body_complete);
  CHECK(resident_bytes() < before + size_t{16} * 1024 * 1024);
  CHECK(server.count() == 1);
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 0);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a body of exactly the limit is whole, one byte more is not") {
  scripted_http server{{web::take_request(), web::answer(200, filled(limit, 'a')),
                        web::take_request(), web::answer(200, filled(limit + 1, 'a'))}};
  http_test_client client;
  auto first = client.send(post(server.url()));
  CHECK(first.body_complete);
  CHECK(first.body.size() == limit);
  auto second = client.send(post(server.url()));
  CHECK_FALSE(second.body_complete);
  CHECK(second.body.size() == limit);
  CHECK(second.event == http_event::answered);
}

TEST_CASE("P-31: a body without end is cut, whatever frames it") {
  auto chunk = "1000\r\n" + filled(0x1000, 'x') + "\r\n";
  auto head = GENERATE(0, 1);
  scripted_http server{{web::take_request(),
                        web::say(head == 0 ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                           : "HTTP/1.1 200 OK\r\n\r\n"),
                        web::flood(chunk)}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.body.size() == limit);
  CHECK_FALSE(result.body_complete);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("P-31: a body that says to be a gigabyte is cut") {
  scripted_http server{{web::take_request(),
                        web::say("HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n\r\n"),
                        web::flood(filled(0x1000, 'x'))}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.status == 500);
  CHECK(result.body.size() == limit);
}

TEST_CASE("P-31: a bomb that nobody unpacks is as large as it is") {
  // Ten zeros of a stream that would unfold to far more.
  std::string bomb = "\x1f\x8b\x08" + std::string(10'000, '\0');
  scripted_http server{{web::serve(200, bomb, {{"Content-Encoding", "gzip"}})}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.body == bomb);
  CHECK(server.requests().at(0).header("Accept-Encoding") == "identity");
}

TEST_CASE("P-31: a head of a megabyte is malformed, with the status") {
  auto shape = GENERATE(0, 1, 2);
  auto line = shape == 0 ? filled(1000, 'x') : "X-A: " + filled(1000, 'x') + "\r\n";
  scripted_http server{{web::take_request(),
                        web::say(shape == 2 ? "HTTP/1.1 204 OK\r\n" : "HTTP/1.1 200 OK\r\nX-B: "),
                        web::flood(line)}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::malformed);
  CHECK(result.status == (shape == 2 ? 204 : 200));
  CHECK(result.detail == "the answer's head is too large");
  CHECK(client.gauge().busy == 0);
}

TEST_CASE("P-31: a first line without end is malformed") {
  scripted_http server{{web::take_request(), web::say("HTTP/1.1 200 "), web::flood("very ")}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::malformed);
  CHECK(result.status == 0);
}

TEST_CASE("P-31: trailers and chunk sizes without end are cut") {
  auto begin = GENERATE("5;x=", "0\r\n");
  auto more = begin[0] == '0' ? "X-A: 1\r\n" : "yyyyyyyy";
  scripted_http server{
      {web::take_request(),
       web::say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string{begin}),
       web::flood(more)}};
  http_test_client client;
  auto result = client.send(post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 200);
  CHECK_FALSE(result.body_complete);
}

TEST_CASE("P-31: interim answers without end meet the deadline") {
  scripted_http server{{web::take_request(), web::flood("HTTP/1.1 102 Processing\r\n\r\n")}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.status == 0);
  CHECK(result.request_complete);
}

} // namespace
} // namespace notify

#include "tests/http_client/fixture.hpp"

#include <boost/asio/error.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>

namespace notify {
namespace {

using namespace test;
using boost::asio::ip::address;

/// Allows these addresses only.
http_client::address_filter only(std::set<std::string> allowed) {
  return [allowed](const address& x) { return allowed.count(x.to_string()) > 0; };
}

std::string shop(const scripted_http& server) {
  return "http://shop.example:" + std::to_string(server.port()) + "/";
}

TEST_CASE("D-C3: a name that does not exist is told from a lookup that failed") {
  http_test_client missing{{}, {}, fails_with(boost::asio::error::host_not_found)};
  auto result = missing.send(post("http://shop.example/"));
  CHECK(result.event == http_event::dns_not_found);
  CHECK(result.phase == send_phase::resolve);
  CHECK_FALSE(result.request_complete);
  boost::system::error_code error =
      GENERATE(boost::system::error_code{boost::asio::error::host_not_found_try_again},
               boost::system::error_code{boost::asio::error::no_recovery},
               boost::system::error_code{boost::asio::error::no_memory});
  http_test_client failing{{}, {}, fails_with(error)};
  CHECK(failing.send(post("http://shop.example/")).event == http_event::dns_failed);
  CHECK(failing.gauge().busy == 0);
}

TEST_CASE("D-C3: a lookup that works again is enough for the next request") {
  scripted_http server{{web::serve()}};
  auto count = std::make_shared<std::atomic<int>>(0);
  http_test_client client{{}, {}, [count](const std::string& host, auto done) {
                            CHECK(host == "shop.example");
                            if (++*count <= 2)
                              fails_with(boost::asio::error::host_not_found_try_again)(host, done);
                            else
                              resolves_to({"127.0.0.1"})(host, done);
                          }};
  CHECK(client.send(post(shop(server))).event == http_event::dns_failed);
  CHECK(client.send(post(shop(server))).event == http_event::dns_failed);
  CHECK(client.send(post(shop(server))).status == 200);
  CHECK(server.requests().at(0).header("Host") == "shop.example:" + std::to_string(server.port()));
}

TEST_CASE("a name without an address cannot be reached now") {
  http_test_client client{{}, {}, resolves_to({})};
  CHECK(client.send(post("http://shop.example/")).event == http_event::dns_failed);
}

TEST_CASE("the system's resolver finds this machine") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  CHECK(client.send(post("http://localhost:" + std::to_string(server.port()))).status == 200);
}

TEST_CASE("an IPv6 address is a host like any other") {
  scripted_http server{std::vector<http_script>{{web::serve()}}, "::1"};
  http_test_client client{{}, {}, fails_with(boost::asio::error::host_not_found)};
  CHECK(client.send(post(server.url())).status == 200);
  CHECK(server.requests().at(0).header("Host") == "[::1]:" + std::to_string(server.port()));
}

TEST_CASE("an address that may not be connected to is not") {
  scripted_http server{{web::serve()}};
  http_test_client client{{}, only({"192.0.2.1"})};
  auto url = GENERATE("http://127.0.0.1", "http://[::ffff:127.0.0.1]", "http://localhost",
                      "http://127.1", "http://0x7f000001");
  auto result = client.send(post(std::string{url} + ":" + std::to_string(server.port())));
  CHECK(result.event == http_event::blocked_address);
  CHECK_FALSE(result.request_complete);
  CHECK(result.detail.find("127") == std::string::npos);
  CHECK(server.connections() == 0);
  CHECK(client.gauge().busy == 0);
}

TEST_CASE("an IPv4 address in the clothes of IPv6 is judged as what it is") {
  scripted_http server{{web::serve()}};
  http_test_client client{{}, only({"127.0.0.1"}), resolves_to({"::ffff:127.0.0.1"})};
  CHECK(client.send(post(shop(server))).status == 200);
}

TEST_CASE("of several addresses only the allowed ones are tried, in their order") {
  scripted_http inner{{web::serve()}};
  http_test_client client{
      {}, only({"127.0.0.2", "127.0.0.3"}), resolves_to({"127.0.0.2", "127.0.0.1", "127.0.0.3"})};
  // Nobody listens on the allowed ones.
  auto result = client.send(post(shop(inner)));
  CHECK(result.event == http_event::failed);
  CHECK(result.phase == send_phase::connect);
  CHECK(inner.connections() == 0);
  scripted_http outer{std::vector<http_script>{{web::serve()}}, "127.0.0.3"};
  CHECK(client.send(post(shop(outer))).status == 200);
}

TEST_CASE("a name that first means a public address and then this machine does not get in") {
  scripted_http outer{
      std::vector<http_script>{{web::take_request(), web::answer(200), web::close()}}, "127.0.0.2"};
  scripted_http inner{std::vector<http_script>{{web::serve()}}, "127.0.0.1", outer.port()};
  auto count = std::make_shared<std::atomic<int>>(0);
  http_test_client client{{}, only({"127.0.0.2"}), [count](const std::string& host, auto done) {
                            resolves_to({++*count == 1 ? "127.0.0.2" : "127.0.0.1"})(host, done);
                          }};
  // Looked up once: what was checked is what is connected to.
  CHECK(client.send(post(shop(outer))).status == 200);
  CHECK(*count == 1);
  auto second = client.send(post(shop(outer)));
  if (second.event == http_event::closed) // The kept connection was just going.
    second = client.send(post(shop(outer)));
  CHECK(second.event == http_event::blocked_address);
  CHECK(*count == 2);
  CHECK(inner.connections() == 0);
}

TEST_CASE("a refused connection is a failure before the request") {
  std::string url;
  {
    scripted_http server{{web::serve()}};
    url = server.url();
  }
  http_test_client client;
  auto result = client.send(post(url));
  CHECK(result.event == http_event::failed);
  CHECK(result.phase == send_phase::connect);
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent == 0);
  CHECK(result.detail == "Connection refused");
}

} // namespace
} // namespace notify

#include "tests/fake_provider/fixture.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

namespace notify::fake::test {
namespace {

namespace json = boost::json;
using notify::test::eventually;

std::string request(const std::string& method, const std::string& target,
                    const std::string& body = {}) {
  return method + ' ' + target + " HTTP/1.1\r\nHost: test\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Asks the control port and reads its JSON.
json::object control(const provider& x, const std::string& method, const std::string& target,
                     const std::string& body = {}, int wanted = 200) {
  auto answer = ask(x.control_port(), request(method, target, body));
  INFO(method << ' ' << target << ": " << answer.body);
  REQUIRE(answer.status == wanted);
  return json::parse(answer.body).as_object();
}

TEST_CASE("the control port takes a script and tells how it is used") {
  provider x{{}};
  auto taken = control(x, "PUT", "/script",
                       R"([{"times": 1, "action": {"status": 500}}, {"action": {"do": "hold"}}])");
  CHECK(taken.at("rules") == 2);
  ask(x.http_port(), telegram());
  auto state = control(x, "GET", "/state");
  CHECK(state.at("rules").at(0).at("used") == 1);
  CHECK(state.at("rules").at(1).at("used") == 0);
  CHECK(state.at("requests") == 1);
  CHECK(state.at("accepted") == 0);
}

TEST_CASE("a script that cannot be read is refused and changes nothing") {
  provider x{{}};
  control(x, "PUT", "/script", R"([{"action": {"status": 500}}])");
  auto refusal = control(x, "PUT", "/script", R"([{"action": {"status": "500"}}])", 400);
  CHECK(std::string{refusal.at("error").as_string()}.find("rule 1.action.status") == 0);
  CHECK(ask(x.http_port(), telegram()).status == 500);
}

TEST_CASE("requests and counts are listed, also in part") {
  provider x{{}};
  for (const auto* key : {"k1", "k2", "k1"})
    ask(x.http_port(), resend_mail(key));
  auto all = control(x, "GET", "/requests").at("requests").as_array();
  REQUIRE(all.size() == 3);
  CHECK(all[0].at("protocol") == "resend");
  CHECK(all[0].at("key") == "k1");
  CHECK(all[0].at("recipient") == "anna@example.com");
  CHECK(all[0].at("accepted") == true);
  CHECK(all[0].at("answered") == 200);
  CHECK(all[2].at("replayed") == true);
  CHECK(control(x, "GET", "/requests?key=k2").at("requests").as_array().size() == 1);
  CHECK(control(x, "GET", "/requests?after=1&limit=1").at("requests").at(0).at("id") == 2);
  CHECK(control(x, "GET", "/requests?recipient=anna%40example").at("requests").as_array().size()
        == 3);
  auto counts = control(x, "GET", "/counts");
  CHECK(counts.at("requests") == 3);
  CHECK(counts.at("accepted") == 2);
  CHECK(counts.at("by_key").as_array().size() == 2);
  CHECK(control(x, "GET", "/counts?key=k1").at("by_key").at(0).at("requests") == 2);
}

TEST_CASE("deleting the requests forgets counts and keys, not the script") {
  provider x{{}};
  ask(x.http_port(), resend_mail("k1"));
  control(x, "PUT", "/script", R"([{"match": {"attempt": 2}, "action": {"status": 500}}])");
  control(x, "DELETE", "/requests");
  CHECK(control(x, "GET", "/counts").at("requests") == 0);
  CHECK(ask(x.http_port(), resend_mail("k1", "Other")).status == 200);
  CHECK(ask(x.http_port(), resend_mail("k1", "Other")).status == 500);
}

TEST_CASE("a release over the control port tells how many went") {
  provider x{{}};
  control(x, "PUT", "/script", R"([{"action": {"do": "hold"}}])");
  client slow{x.http_port()};
  slow.send(resend_mail("k1"));
  REQUIRE(eventually([&] { return control(x, "GET", "/state").at("waiting") == 1; }));
  CHECK(control(x, "POST", "/release?key=k2").at("released") == 0);
  CHECK(control(x, "POST", "/release").at("released") == 1);
  CHECK(slow.read().status == 200);
}

TEST_CASE("what the control port does not have it says") {
  provider x{{}};
  CHECK(ask(x.control_port(), request("GET", "/")).body.find("/release") != std::string::npos);
  control(x, "GET", "/nothing", "", 404);
  control(x, "POST", "/script", "[]", 405);
  control(x, "GET", "/requests?kee=k1", "", 400);
  control(x, "GET", "/requests?limit=many", "", 400);
}

} // namespace
} // namespace notify::fake::test

#include "actors/routing.hpp"

#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <utility>

namespace notify {
namespace {

std::string problem(const std::string& text) {
  auto table = routing_table::parse(text);
  if (table)
    return {};
  CHECK(table.error() == ec::invalid_config);
  return table.error().context().get_as<std::string>(0);
}

/// One valid route in which `from` is replaced by `to`.
std::string problem_with(const std::string& from, const std::string& to) {
  std::string text = R"({"routes":[{"event_type":"order.paid.v1","channel":"email",)"
                     R"("recipient":"buyer.email","template":"order-paid.v1","locale":"locale",)"
                     R"("default_locale":"en","optional":false}]})";
  auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return problem(text.replace(at, from.size(), to));
}

TEST_CASE("a route's members are read") {
  auto table = routing_table::parse(R"({"routes":[{"event_type":"a.v1","channel":"c",
    "recipient":"buyer.email","template":"t.v1","locale":"buyer.locale","default_locale":"pt-BR",
    "not_before":"send.from","expires_at":"send.until","delay":"90s","expires_after":"72h",
    "optional":true},{"event_type":"a.v1","channel":"d","recipient":"x","template":"t"}]})");
  REQUIRE(table);
  const auto& routes = table->routes().at("a.v1");
  REQUIRE(routes.size() == 2);
  CHECK(routes[0].channel == "c");
  CHECK(routes[0].recipient_path == std::vector<std::string>{"buyer", "email"});
  CHECK(routes[0].template_key == "t.v1");
  CHECK(routes[0].locale_path == std::vector<std::string>{"buyer", "locale"});
  CHECK(routes[0].default_locale == "pt-BR");
  CHECK(routes[0].optional);
  CHECK(routes[0].not_before_path == std::vector<std::string>{"send", "from"});
  CHECK(routes[0].expires_at_path == std::vector<std::string>{"send", "until"});
  CHECK(routes[0].delay == std::chrono::seconds{90});
  CHECK(routes[0].expires_after == std::chrono::hours{72});
  CHECK(routes[1].locale_path.empty());
  CHECK(routes[1].not_before_path.empty());
  CHECK(routes[1].expires_at_path.empty());
  CHECK_FALSE(routes[1].delay);
  CHECK_FALSE(routes[1].expires_after);
  CHECK(routes[1].default_locale == "en");
  CHECK_FALSE(routes[1].optional);
}

TEST_CASE("a list of no routes is allowed") {
  CHECK(problem(R"({"routes":[]})").empty());
}

TEST_CASE("a mistake in a route is named with its place") {
  const std::pair<std::pair<const char*, const char*>, const char*> mistakes[] = {
      {{"\"channel\"", "\"chanel\""}, "routes[0]: unknown key `chanel`, did you mean `channel`?"},
      {{"\"locale\":", "\"zzz\":"}, "routes[0]: unknown key `zzz`"},
      {{"\"channel\":\"email\",", ""}, "routes[0].channel: is missing"},
      {{"\"event_type\":\"order.paid.v1\",", ""}, "routes[0].event_type: is missing"},
      {{"\"template\":\"order-paid.v1\",", ""}, "routes[0].template: is missing"},
      {{"\"recipient\":\"buyer.email\",", ""}, "routes[0].recipient: is missing"},
      {{"\"email\"", "7"}, "routes[0].channel: must be a string"},
      {{"\"email\"", "\"E mail\""},
       "routes[0].channel: must be 1 to 200 of a-z, 0-9, dot, hyphen and underscore"},
      {{"\"order-paid.v1\"", "\"../../etc/passwd\""},
       "routes[0].template: must be 1 to 200 of a-z, 0-9, dot, hyphen and underscore"},
      {{"buyer.email", "buyer..email"},
       "routes[0].recipient: must name a member of the payload, such as `email` or `buyer.email`"},
      {{"buyer.email", ""},
       "routes[0].recipient: must name a member of the payload, such as `email` or `buyer.email`"},
      {{"\"locale\":\"locale\"", "\"locale\":\".\""},
       "routes[0].locale: must name a member of the payload, such as `email` or `buyer.email`"},
      {{"\"en\"", "\"en us\""},
       "routes[0].default_locale: must be a language tag, such as `en` or `pt-BR`"},
      {{"\"optional\"", "\"not_before\":7,\"optional\""}, "routes[0].not_before: must be a string"},
      {{"\"optional\"", "\"expires_at\":\"a..b\",\"optional\""},
       "routes[0].expires_at: must name a member of the payload, such as `email` or `buyer.email`"},
      {{"\"optional\"", "\"delay\":\"10 minutes\",\"optional\""},
       "routes[0].delay: must be a duration longer than 0s, such as 90s, 10min or 72h"},
      {{"\"optional\"", "\"delay\":\"\",\"optional\""},
       "routes[0].delay: must be a duration longer than 0s, such as 90s, 10min or 72h"},
      {{"\"optional\"", "\"delay\":30,\"optional\""}, "routes[0].delay: must be a string"},
      {{"\"optional\"", "\"expires_after\":\"0s\",\"optional\""},
       "routes[0].expires_after: must be a duration longer than 0s, such as 90s, 10min or 72h"},
      {{"\"optional\"", "\"expires_after\":\"9999999999h\",\"optional\""},
       "routes[0].expires_after: must be a duration longer than 0s, such as 90s, 10min or 72h"},
      {{"\"optional\"", "\"expire_after\":\"1h\",\"optional\""},
       "routes[0]: unknown key `expire_after`, did you mean `expires_after`?"},
      {{"false", "\"no\""}, "routes[0].optional: must be true or false"},
  };
  for (const auto& [change, expected] : mistakes)
    CHECK(problem_with(change.first, change.second) == expected);
}

TEST_CASE("a mistake around the routes is named") {
  CHECK(problem("[]") == "the file: must be an object with the key `routes`");
  CHECK(problem("{}") == "routes: must be a list");
  CHECK(problem(R"({"routes":{}})") == "routes: must be a list");
  CHECK(problem(R"({"route":[]})") == "the file: unknown key `route`, did you mean `routes`?");
  CHECK(problem(R"({"routes":["email"]})") == "routes[0]: must be an object");
  CHECK(problem("{\n  \"routes\": [\n    oops\n  ]\n}") == "line 3, column 5: not valid JSON");
}

TEST_CASE("the same route twice is a mistake") {
  const std::string route = R"({"event_type":"a.v1","channel":"c","recipient":"x","template":"t"})";
  CHECK(problem("{\"routes\":[" + route + "," + route + "]}")
        == "routes[1]: says the same as an earlier route");
}

TEST_CASE("a routes file that cannot be read is named") {
  auto table = routing_table::load("/nowhere/routes.json");
  REQUIRE_FALSE(table);
  CHECK(table.error() == ec::invalid_config);
  CHECK(table.error().context().get_as<std::string>(0)
        == "/nowhere/routes.json: No such file or directory");
  auto folder = routing_table::load("/");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().context().get_as<std::string>(0) == "/: is not a file");
}

} // namespace
} // namespace notify

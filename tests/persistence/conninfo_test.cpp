#include "persistence/conninfo.hpp"

#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <libpq-fe.h>

#include <map>
#include <memory>

namespace notify {
namespace {

std::map<std::string, std::string> parsed(const std::string& url) {
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree};
  REQUIRE(options);
  std::map<std::string, std::string> result;
  for (auto* x = options.get(); x->keyword != nullptr; ++x)
    if (x->val != nullptr)
      result[x->keyword] = x->val;
  return result;
}

TEST_CASE("connection settings keep what the URL says and complete it") {
  postgres_config config;
  config.url = "postgresql://u@h1:1,h2:2/db?connect_timeout=9";
  config.application_name = "notifyd a=b";
  config.password = "p w'\\%&=";
  auto url = make_conninfo(config, "claim");
  REQUIRE(url);
  auto values = parsed(*url);
  CHECK(values["host"] == "h1,h2");
  CHECK(values["port"] == "1,2");
  CHECK(values["dbname"] == "db");
  CHECK(values["password"] == config.password);
  CHECK(values["connect_timeout"] == "9");
  CHECK(values["application_name"] == "notifyd a=b/claim");
  CHECK(values["target_session_attrs"] == "read-write");
  CHECK(url->find(' ') == std::string::npos);
}

TEST_CASE("a malformed URL is refused without quoting it") {
  postgres_config config;
  config.url = "postgresql://user:secret@[::1";
  auto url = make_conninfo(config, "claim");
  REQUIRE_FALSE(url);
  CHECK(url.error() == ec::invalid_config);
  CHECK(render(url.error()).find("secret") == std::string::npos);
}

} // namespace
} // namespace notify

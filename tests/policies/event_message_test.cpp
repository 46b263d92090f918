#include "actors/event_message.hpp"

#include "actors/rendering.hpp"
#include "actors/sha256.hpp"
#include "messages/error.hpp"
#include "tests/policies/jobs.hpp"
#include "tests/policies/template_files.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using test::job_for;

template_set_ptr any_templates() {
  test::template_files files;
  files.add("k/en/text.mustache", "");
  auto result = files.load();
  REQUIRE(result);
  return *result;
}

rendered_message rendered(const std::string& payload, const std::string& locale = "en") {
  auto result = any_templates()->render(job_for("event.v1", locale, payload));
  INFO((result ? std::string{} : render(result.error())));
  REQUIRE(result);
  return *result;
}

TEST_CASE("the event itself is a template that is always there") {
  auto templates = any_templates();
  CHECK(templates->contains("event.v1"));
  CHECK_FALSE(templates->contains("event.v2"));
  auto wrong = templates->render(job_for("event.v2", "en", "{}"));
  REQUIRE_FALSE(wrong);
  CHECK(render(wrong.error()).find("did you mean `event.v1`?") != std::string::npos);
}

TEST_CASE("an event as a message has its type, its time and its payload") {
  auto message = rendered(R"({"order_id":"1"})");
  CHECK(
      message.text
      == R"({"type":"order.paid.v1","timestamp":"2026-09-01T16:00:00Z","data":{"order_id":"1"}})");
  CHECK(message.subject.empty());
  CHECK(message.html.empty());
  CHECK(message.content_hash == to_hex(sha256_of_parts({"", message.text, ""})));
  CHECK(rendered(R"({"order_id":"1"})", "ru").text == message.text);
}

TEST_CASE("D-F5: an event's numbers reach the receiver with all their digits") {
  const std::string payload = R"({ "a" : 12.345, "b":9223372036854775808, "c":0.1, "d":1e3,)"
                              R"( "e":0.10000000000000000000000001 })";
  CHECK(rendered(payload).text.find(",\"data\":" + payload + "}") != std::string::npos);
}

TEST_CASE("a type is written as JSON, whatever is in it") {
  auto job = job_for("event.v1", "en", "{}");
  job.event_type = "a\"b\\c\n";
  CHECK(event_message(job).starts_with(R"({"type":"a\"b\\c\n","timestamp":)"));
}

TEST_CASE("a payload that is no object is not sent") {
  for (const std::string payload : {"", "[]", "7", "{", "{}{}", R"({"a":1} ,"b":2)"}) {
    auto result = any_templates()->render(job_for("event.v1", "en", payload));
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_template);
  }
}

TEST_CASE("a folder may not have a template of the built-in name") {
  test::template_files files;
  files.add("event.v1/en/text.mustache", "");
  auto result = files.load();
  REQUIRE_FALSE(result);
  CHECK(result.error().context().get_as<std::string>(0)
        == "event.v1: is built in; give this template another key");
}

} // namespace
} // namespace notify

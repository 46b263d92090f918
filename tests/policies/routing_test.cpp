#include "actors/routing.hpp"

#include "actors/job_id.hpp"
#include "messages/error.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

namespace notify {
namespace {

routing_table shipped() {
  auto table = routing_table::load(NOTIFY_SOURCE_DIR "/tools/config/routes.json");
  REQUIRE(table);
  return *table;
}

routing_table table_of(const std::string& route) {
  auto table = routing_table::parse("{\"routes\":[" + route + "]}");
  INFO((table ? std::string{} : render(table.error())));
  REQUIRE(table);
  return *table;
}

event event_of(std::string type) {
  event x;
  x.event_id = uuid::parse("0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01").value();
  x.type = std::move(type);
  x.occurred_at_us = 1788278400000000;
  return x;
}

caf::expected<std::vector<new_job>> jobs(const routing_table& table, const std::string& type,
                                         const char* payload) {
  return table.jobs_for(event_of(type), boost::json::parse(payload).as_object());
}

std::string reason(const caf::expected<std::vector<new_job>>& x) {
  if (x || x.error() != ec::invalid_event)
    return {};
  return x.error().context().get_as<std::string>(0);
}

constexpr auto mail_route =
    R"({"event_type":"t.v1","channel":"email","recipient":"email","template":"k"})";

TEST_CASE("the shipped routes give each order event its mail") {
  auto table = shipped();
  for (std::string name : {"created", "paid", "cancelled", "completed"}) {
    auto result = jobs(table, "order." + name + ".v1", R"({"email":"user@example.com"})");
    REQUIRE(result);
    REQUIRE(result->size() == 1);
    const auto& job = result->front();
    CHECK(job.channel == "email");
    CHECK(job.recipient == "user@example.com");
    CHECK(job.template_key == "order-" + name + ".v1");
    CHECK(job.locale == "en");
    CHECK(job.event_type == "order." + name + ".v1");
    CHECK(job.event_id == event_of("").event_id);
    CHECK(job.id
          == make_job_id(job.event_id, 1788278400000000, job.channel, job.recipient,
                         job.template_key));
  }
}

TEST_CASE("a paid order is also told to Telegram if the payload has a chat") {
  auto result = jobs(shipped(), "order.paid.v1",
                     R"({"email":"a@b.c","telegram_chat_id":-1001234567890,"locale":"ru-RU"})");
  REQUIRE(result);
  REQUIRE(result->size() == 2);
  CHECK(result->at(1).channel == "telegram");
  CHECK(result->at(1).recipient == "-1001234567890");
  CHECK(result->at(1).template_key == "order-paid-telegram.v1");
  CHECK(result->at(1).locale == "ru-RU");
  for (auto payload : {R"({"email":"a@b.c","telegram_chat_id":null})",
                       R"({"email":"a@b.c","telegram_chat_id":""})"})
    CHECK(jobs(shipped(), "order.paid.v1", payload)->size() == 1);
}

TEST_CASE("an event type without routes gives no jobs") {
  auto result = jobs(shipped(), "order.returned.v1", "{}");
  REQUIRE(result);
  CHECK(result->empty());
}

TEST_CASE("a payload without a needed recipient is refused with the place") {
  for (auto payload : {"{}", R"({"email":null})", R"({"email":""})", R"({"Email":"a@b.c"})"}) {
    auto result = jobs(table_of(mail_route), "t.v1", payload);
    CHECK(reason(result) == "missing_route_data");
    CHECK(result.error().context().get_as<std::string>(1)
          == "`payload.email` for channel email is missing");
  }
}

TEST_CASE("a recipient is a string or an integer") {
  auto table =
      table_of(R"({"event_type":"t.v1","channel":"telegram","recipient":"chat","template":"k"})");
  CHECK(jobs(table, "t.v1", R"({"chat":"@orders"})")->front().recipient == "@orders");
  CHECK(jobs(table, "t.v1", R"({"chat":7})")->front().recipient == "7");
  CHECK(jobs(table, "t.v1", R"({"chat":18446744073709551615})")->front().recipient
        == "18446744073709551615");
  for (auto payload : {R"({"chat":1.5})", R"({"chat":true})", R"({"chat":[1]})", R"({"chat":{}})",
                       R"({"chat":18446744073709551616})", R"({"chat":"a\nb"})"})
    CHECK(reason(jobs(table, "t.v1", payload)) == "invalid_recipient");
}

TEST_CASE("mail addresses are checked for plausibility") {
  auto table = table_of(mail_route);
  auto reason_for = [&](const std::string& address) {
    boost::json::object payload{{"email", address}};
    return reason(table.jobs_for(event_of("t.v1"), payload));
  };
  for (auto address : {"user@example.com", "user+tag@example.co.uk", "o'brien@example.com",
                       "user@localhost", "имя@пример.рф", "a@b", "user@xn--e1afmkfd.xn--p1ai"})
    CHECK(reason_for(address).empty());
  for (auto address : {"user",
                       "@",
                       "@example.com",
                       "user@",
                       "a@b@c",
                       "user@.com",
                       "user@example.",
                       "user@a..b",
                       "a b@example.com",
                       " user@example.com",
                       "user@example.com ",
                       "<user@example.com>",
                       "User <user@example.com>",
                       "a@b.c,d@e.f",
                       "a@b.c;d@e.f",
                       "\"a b\"@example.com",
                       "user@[127.0.0.1]",
                       "a@b.c\r\nBcc: x@y.z",
                       "a\n@b.c",
                       "a@b.c\x7F"}) {
    INFO(address);
    CHECK(reason_for(address) == "invalid_recipient");
  }
  CHECK(reason_for({"a\0@b.c", 6}) == "invalid_recipient");
  std::string local(64, 'a');
  std::string domain(255, 'd');
  CHECK(reason_for(local + "@" + domain).empty());
  CHECK(reason_for(local + "a@" + domain) == "invalid_recipient");
  CHECK(reason_for(local + "@" + domain + "d") == "invalid_recipient");
}

TEST_CASE("details never quote the recipient") {
  auto result = jobs(table_of(mail_route), "t.v1", R"({"email":"s3cret"})");
  CHECK(result.error().context().get_as<std::string>(1).find("s3cret") == std::string::npos);
}

TEST_CASE("one event never tells the same recipient the same thing twice") {
  auto table = routing_table::parse(R"({"routes":[
    {"event_type":"t.v1","channel":"email","recipient":"buyer.email","template":"k"},
    {"event_type":"t.v1","channel":"email","recipient":"payer.email","template":"k"},
    {"event_type":"t.v1","channel":"email","recipient":"payer.email","template":"other"}]})");
  REQUIRE(table);
  CHECK(jobs(*table, "t.v1", R"({"buyer":{"email":"a@b.c"},"payer":{"email":"a@b.c"}})")->size()
        == 2);
  CHECK(jobs(*table, "t.v1", R"({"buyer":{"email":"a@b.c"},"payer":{"email":"d@e.f"}})")->size()
        == 3);
  CHECK(reason(jobs(*table, "t.v1", R"({"buyer":"a@b.c"})")) == "missing_route_data");
}

TEST_CASE("the locale comes from the payload if it is a language tag") {
  auto table = table_of(R"({"event_type":"t.v1","channel":"email","recipient":"email",
    "template":"k","locale":"buyer.locale","default_locale":"ru"})");
  auto locale = [&](const std::string& json) {
    auto payload = R"({"email":"a@b.c","buyer":{"locale":)" + json + "}}";
    return jobs(table, "t.v1", payload.c_str())->front().locale;
  };
  CHECK(locale("\"en\"") == "en");
  CHECK(locale("\"pt_BR\"") == "pt-BR");
  for (auto json : {"null", "7", "\"\"", "\"../../etc\"", "\"en us\"", "\"en\\n\"",
                    "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\""})
    CHECK(locale(json) == "ru");
}

constexpr int64_t occurred_us = 1788278400000000; // 2026-09-01T16:00:00Z
constexpr int64_t minute_us = 60000000;

/// The times of the one job of a mail route with these members.
std::pair<std::optional<int64_t>, std::optional<int64_t>> times(const std::string& members,
                                                                const char* payload) {
  auto table = table_of(R"({"event_type":"t.v1","channel":"email","recipient":"email",)"
                        R"("template":"k",)"
                        + members + "}");
  auto result = jobs(table, "t.v1", payload);
  REQUIRE(result);
  REQUIRE(result->size() == 1);
  return {result->front().not_before_us, result->front().expires_at_us};
}

using time_pair = std::pair<std::optional<int64_t>, std::optional<int64_t>>;

TEST_CASE("the payload may say from when and until when a notification is sent") {
  const std::string paths = R"("not_before":"send.from","expires_at":"send.until")";
  CHECK(times(paths, R"({"email":"a@b.c","send":{"from":"2026-09-01T20:00:00.5+03:00",
                         "until":"2026-09-01T18:00:00Z"}})")
        == time_pair{occurred_us + 60 * minute_us + 500000, occurred_us + 120 * minute_us});
  for (const auto* payload :
       {R"({"email":"a@b.c"})", R"({"email":"a@b.c","send":{}})",
        R"({"email":"a@b.c","send":{"from":null,"until":null}})",
        R"({"email":"a@b.c","send":{"from":"","until":""}})", R"({"email":"a@b.c","send":7})"})
    CHECK(times(paths, payload) == time_pair{});
  CHECK(times(R"("optional":false)", R"({"email":"a@b.c","send":{"from":"2026-09-01T17:00:00Z"}})")
        == time_pair{});
}

TEST_CASE("a route's delay and life are counted from the event's time") {
  const auto* payload = R"({"email":"a@b.c"})";
  CHECK(times(R"("delay":"10min")", payload) == time_pair{occurred_us + 10 * minute_us, {}});
  CHECK(times(R"("expires_after":"72h")", payload)
        == time_pair{std::nullopt, occurred_us + 72 * 60 * minute_us});
}

TEST_CASE("of two earliest times the later one holds, of two latest the earlier") {
  const std::string all = R"("not_before":"from","expires_at":"until","delay":"30min",)"
                          R"("expires_after":"2h")";
  CHECK(times(all, R"({"email":"a@b.c"})")
        == time_pair{occurred_us + 30 * minute_us, occurred_us + 120 * minute_us});
  CHECK(times(all, R"({"email":"a@b.c","from":"2026-09-01T16:10:00Z",
                       "until":"2026-09-01T19:00:00Z"})")
        == time_pair{occurred_us + 30 * minute_us, occurred_us + 120 * minute_us});
  CHECK(times(all, R"({"email":"a@b.c","from":"2026-09-01T16:40:00Z",
                       "until":"2026-09-01T17:00:00Z"})")
        == time_pair{occurred_us + 40 * minute_us, occurred_us + 60 * minute_us});
}

TEST_CASE("a time that is none makes a dead letter that names the place, not the value") {
  auto table = table_of(R"({"event_type":"t.v1","channel":"email","recipient":"email",
    "template":"k","not_before":"send.from","expires_at":"send.until"})");
  for (const std::string value :
       {"7", "true", "{}", "[]", "\"s3cret\"", "\"2026-09-01\"", "\"2026-09-01T16:00:00\"",
        "\"2026-02-30T16:00:00Z\"", "\"10000-01-01T00:00:00Z\"", "\"1788278400\""}) {
    INFO(value);
    auto refused_from =
        jobs(table, "t.v1", (R"({"email":"a@b.c","send":{"from":)" + value + "}}").c_str());
    CHECK(reason(refused_from) == "invalid_not_before");
    CHECK(refused_from.error().context().get_as<std::string>(1)
          == "`payload.send.from` for channel email must be an RFC 3339 time");
    auto refused_until =
        jobs(table, "t.v1", (R"({"email":"a@b.c","send":{"until":)" + value + "}}").c_str());
    CHECK(reason(refused_until) == "invalid_expires_at");
    CHECK(refused_until.error().context().get_as<std::string>(1)
          == "`payload.send.until` for channel email must be an RFC 3339 time");
  }
}

TEST_CASE("times do not change a job's id") {
  const auto* payload = R"({"email":"a@b.c","until":"2026-09-01T17:00:00Z"})";
  auto plain = jobs(table_of(mail_route), "t.v1", payload);
  auto timed = jobs(table_of(R"({"event_type":"t.v1","channel":"email","recipient":"email",
    "template":"k","expires_at":"until","delay":"1h"})"),
                    "t.v1", payload);
  REQUIRE(plain);
  REQUIRE(timed);
  CHECK(plain->front().id == timed->front().id);
}

} // namespace
} // namespace notify

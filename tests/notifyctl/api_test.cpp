#include "tests/notifyctl/api_fixture.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace notify {
namespace {

using test::api_fixture;
using test::contains;
using test::notifyctl;
using test::scripted_http;
using test::temp_folder;
namespace web = test::web;

std::string item(const std::string& id, const std::string& more = "") {
  return R"({"id":")" + id
         + R"(","created_at":"2026-09-01T16:00:00.123456Z","status":"dead","channel":"email",)"
           R"("recipient":"anna@example.com","event_type":"order.paid.v1","attempt_count":6,)"
           R"("last_error_code":null,"dead_reason":"attempts_used_up")"
         + more + "}";
}

std::string page(const std::string& items, const std::string& next = "null") {
  return R"({"items":[)" + items + R"(],"next":)" + next + "}";
}

TEST_CASE_METHOD(api_fixture, "a list has a line for each notification and says why it is dead") {
  on("GET /api/v1/notifications?limit=50", 200, page(item("a") + "," + item("b")));
  auto result = run({"list"});
  CHECK(result.code == cli::success);
  CHECK(result.lines() == 3u);
  CHECK(result.out.starts_with("ID"));
  CHECK(contains(result.out, "2026-09-01T16:00:00Z"));
  CHECK(contains(result.out, "attempts_used_up"));
  CHECK(result.err.empty());
}

TEST_CASE_METHOD(api_fixture, "every filter of the list reaches the service, encoded") {
  on("GET /api/v1/notifications?status=dead&channel=email&event_type=order.paid.v1&event_id=e"
     "&correlation_id=c%2F1&recipient=anna%2Bx%40example.com&error_code=x&provider=smtp"
     "&created_from=2026-09-01T00%3A00%3A00Z&created_to=2026-09-02T00%3A00%3A00Z&limit=7",
     200, page(item("a")));
  auto result = run({"notifications", "list", "--status=dead", "--channel=email",
                     "--event-type=order.paid.v1", "--event-id=e", "--correlation-id=c/1",
                     "--recipient=anna+x@example.com", "--error-code=x", "--provider=smtp",
                     "--created-from=2026-09-01T00:00:00Z", "--created-to=2026-09-02T00:00:00Z",
                     "--limit=7"});
  INFO(result.err);
  CHECK(result.code == cli::success);
}

TEST_CASE_METHOD(api_fixture, "pages are followed up to the limit, or to the end") {
  auto next = std::string{R"("/api/v1/notifications?limit=3&cursor=x")"};
  on("GET /api/v1/notifications?limit=3", 200, page(item("a"), next));
  // A page may be empty although there is another one.
  on("GET /api/v1/notifications?limit=200", 200, page("", next));
  on("GET /api/v1/notifications?limit=3&cursor=x", 200,
     page(item("b") + "," + item("c") + "," + item("d")));
  auto some = run({"list", "--limit=3"});
  CHECK(some.lines() == 4u);
  CHECK_FALSE(contains(some.out, "\nd "));
  CHECK(contains(some.err, "There are more"));
  auto all = run({"list", "--all", "--json"});
  CHECK(all.lines() == 3u);
  CHECK(contains(all.out, R"("id":"d")"));
  CHECK(all.err.empty());
}

TEST_CASE_METHOD(api_fixture,
                 "a next page on another host is not asked for: it would get the token") {
  scripted_http other{{web::serve(200, page(item("stolen")))}};
  on("GET /api/v1/notifications?limit=50", 200, page(item("a"), "\"" + other.url("/") + "\""));
  auto result = run({"list"});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "not its own"));
  CHECK(other.connections() == 0u);
}

TEST_CASE_METHOD(api_fixture,
                 "Q-B32 the id 1970670598291982290 survives list and show, as text and "
                 "as a number") {
  const std::string id = "1970670598291982290";
  auto operation = [&](const std::string& quoted) {
    return R"({"id":)" + quoted + R"(,"kind":"retry","status":"done","matched":")" + id
           + R"(","done":"0","skipped":{},"filter":{},"created_by":"anna",)"
             R"("created_at":"2026-09-01T16:00:00Z"})";
  };
  auto quoted = GENERATE_COPY(Catch::Generators::values<std::string>({"\"" + id + "\"", id}));
  on("GET /api/v1/operations?limit=50", 200, page(operation(quoted)));
  on("GET /api/v1/operations/" + id, 200, R"({"operation":)" + operation(quoted) + "}");
  on("POST /api/v1/operations/" + id + "/cancel", 200,
     R"({"operation":)" + operation(quoted) + "}");
  auto count = [&](const std::string& text) {
    size_t result = 0;
    for (auto at = text.find(id); at != std::string::npos; at = text.find(id, at + 1))
      ++result;
    return result;
  };
  CHECK(count(run({"operations", "list"}).out) == 2u);
  CHECK(count(run({"operations", "list", "--json"}).out) == 2u);
  CHECK(count(run({"operations", "show", id}).out) == 2u);
  CHECK(count(run({"operations", "show", id, "--json"}).out) == 2u);
  CHECK(run({"operations", "cancel", id}).code == cli::success);
  on("GET /api/v1/notifications?limit=50", 200, page(item(id)));
  CHECK(count(run({"list"}).out) == 1u);
}

TEST_CASE_METHOD(api_fixture,
                 "an error of the service is told in its words, and has an exit code") {
  struct row {
    int status;
    int code;
  };
  auto x = GENERATE(row{400, cli::usage}, row{401, cli::not_allowed}, row{403, cli::not_allowed},
                    row{404, cli::not_found}, row{409, cli::wrong_state}, row{429, cli::failed},
                    row{500, cli::failed}, row{503, cli::failed});
  on("GET /api/v1/notifications/n", x.status, error("SOME_CODE", "what is wrong"));
  auto result = run({"show", "n"});
  CHECK(result.code == x.code);
  CHECK(contains(result.err, "notifications show: what is wrong (SOME_CODE, "
                                 + std::to_string(x.status) + ")"));
  CHECK(result.out.empty());
}

TEST_CASE_METHOD(api_fixture,
                 "an answer that is not the service's is a failure, whatever its number") {
  auto status = GENERATE(200, 401, 404, 502);
  on("GET /api/v1/stats", {web::answer_text(status, "<html>a proxy</html>")});
  auto result = run({"stats"});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "something else"));
}

TEST_CASE("a service that does not answer is a failure, told with its address") {
  auto result = notifyctl({"stats", "--api=http://127.0.0.1:1"});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "http://127.0.0.1:1 does not answer"));
}

TEST_CASE_METHOD(api_fixture, "an act without an answer warns against repeating it blindly") {
  on("POST /api/v1/channels/email/pause", 503, error("UNAVAILABLE", "no answer in time"));
  auto result = run({"channels", "pause", "email"});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "look before you repeat it"));
}

TEST_CASE_METHOD(api_fixture, "the token comes from a file or the environment and is never shown") {
  temp_folder folder;
  on("GET /api/v1/stats", 401, error("UNAUTHORIZED", "unknown token"));
  auto file = "--token-file=" + folder.write("token", "s3cret-from-file\n");
  auto from_file = run({"stats", file});
  CHECK(server.requests().back().header("Authorization") == "Bearer s3cret-from-file");
  CHECK_FALSE(contains(from_file.all(), "s3cret"));
  setenv("NOTIFYCTL_TOKEN", "s3cret-from-variable", 1);
  auto from_variable = run({"stats"});
  unsetenv("NOTIFYCTL_TOKEN");
  CHECK(server.requests().back().header("Authorization") == "Bearer s3cret-from-variable");
  CHECK_FALSE(contains(from_variable.all(), "s3cret"));
  CHECK(run({"stats"}).code == cli::not_allowed);
  CHECK(server.requests().back().count("Authorization") == 0u);
  auto on_command_line = run({"stats", "--token=s3cret"});
  CHECK(on_command_line.code == cli::usage);
  CHECK_FALSE(contains(on_command_line.all(), "s3cret"));
}

TEST_CASE("a wrong address or token file is wrong usage, and no password in it is repeated") {
  for (const auto* url : {"ftp://127.0.0.1", "http://anna:s3cret@127.0.0.1", "s3cret",
                          "http://127.0.0.1/path?s3cret"}) {
    auto result = notifyctl({"stats", std::string{"--api="} + url});
    CHECK(result.code == cli::usage);
    CHECK_FALSE(contains(result.all(), "s3cret"));
  }
  CHECK(notifyctl({"stats", "--token-file=/does/not/exist"}).code == cli::usage);
  CHECK(notifyctl({"stats", "--timeout=0"}).code == cli::usage);
  CHECK(notifyctl({"list", "--limit=0"}).code == cli::usage);
}

TEST_CASE_METHOD(api_fixture, "what a terminal would obey is not passed on") {
  on("GET /api/v1/notifications?limit=50", 200, page(item("a", R"(,"recipient":"\u001b[2Janna")")));
  on("GET /api/v1/notifications/n", 400, error("BAD", "\\u001b[2J"));
  CHECK_FALSE(contains(run({"list"}).out, "\x1b"));
  CHECK_FALSE(contains(run({"show", "n"}).err, "\x1b"));
}

TEST_CASE_METHOD(api_fixture,
                 "one notification is shown with its event and its attempts in order") {
  on("GET /api/v1/notifications/n-1", 200, R"({"notification":{"id":"n-1","status":"sent",
    "channel":"email","recipient":"anna@example.com","created_at":"2026-09-01T16:00:00.5Z",
    "finished_at":"2026-09-01T16:00:09.1Z","due_at":null,"dead_reason":null},
    "event":{"event_id":"e-1","event_type":"order.paid.v1","producer":"orders",
    "occurred_at":"2026-09-01T15:59:59.0Z","offset":"9007199254740993"},
    "attempts":[{"attempt_no":1,"started_at":"2026-09-01T16:00:01.0Z",
    "result":"retryable_provider_error","provider":"smtp","provider_status":451,
    "error_code":"smtp_greylisted","latency_ms":120,"detail":"try later",
    "next_attempt_at":"2026-09-01T16:00:06.0Z","late_result":null},
    {"attempt_no":2,"started_at":"2026-09-01T16:00:08.0Z","result":"sent","provider":"smtp",
    "provider_message_id":"m-1","latency_ms":80,"late_result":null}],"attempts_cut":false})");
  auto result = run({"show", "n-1"});
  CHECK(result.code == cli::success);
  size_t last = 0;
  for (const auto* part :
       {"anna@example.com", "9007199254740993",
        "2026-09-01T15:59:59Z  the event occurred at orders", "notification created",
        "attempt 1: retryable_provider_error, smtp, status 451, "
        "smtp_greylisted, 120 ms, try later; next at 2026-09-01T16:00:06Z",
        "attempt 2: sent, smtp, 80 ms, provider's id m-1", "2026-09-01T16:00:09Z  sent"}) {
    auto at = result.out.find(part, last);
    INFO(part << "\n" << result.out);
    CHECK(at != std::string::npos);
    last = at == std::string::npos ? last : at;
  }
  CHECK(run({"show", "n-1", "--json"}).lines() == 1u);
  CHECK(run({"show"}).code == cli::usage);
}

TEST_CASE_METHOD(api_fixture, "an event is shown with all that became of it") {
  on("GET /api/v1/events/e-1", 200, R"({"event_id":"e-1","event":{"event_id":"e-1",
    "event_type":"order.paid.v1","payload":"{\"total_amount\":998000}"},
    "notifications":[{"notification":{"id":"n-1","status":"dead","dead_reason":"expired",
    "created_at":"2026-09-01T16:00:00Z","finished_at":"2026-09-01T17:00:00Z"},"attempts":[],
    "attempts_cut":false}],"notifications_cut":false})");
  auto result = run({"events", "show", "e-1"});
  CHECK(result.code == cli::success);
  CHECK(contains(result.out, R"({"total_amount":998000})"));
  CHECK(contains(result.out, "2026-09-01T17:00:00Z  dead: expired"));
}

TEST_CASE_METHOD(api_fixture, "channels, stats and the audit log are shown as tables") {
  on("GET /api/v1/channels", 200, R"({"items":[{"name":"email","provider":"smtp","slots":16,
    "busy":null,"breaker":"open","paused":true,"paused_by":"anna","rate":2.5,
    "paused_at":"2026-09-01T16:00:00Z"}]})");
  CHECK(contains(run({"channels"}).out, "email    smtp         16"));
  CHECK(run({"channels"}).out == run({"channels", "list"}).out);
  on("GET /api/v1/stats", 200, R"({"taken_at":"2026-09-01T16:00:00Z","age_s":3.5,"failure":null,
    "jobs":[{"channel":"email","status":"dead","count":"1970670598291982290"}],
    "oldest_due_s":{"email":12},"figures":{"dead_letters":4}})");
  auto stats = run({"stats"}).out;
  CHECK(contains(stats, "1970670598291982290"));
  CHECK(contains(stats, "dead_letters"));
  on("GET /api/v1/audit?actor=anna&action=offsets.reset&limit=2", 200,
     page(R"({"id":"7","at":"2026-09-01T16:00:00Z","actor":"anna","action":"offsets.reset",)"
          R"("target":"g","details":{"topic":"t"}})"));
  auto audit = run({"audit", "--actor=anna", "--action=offsets.reset", "--limit=2"}).out;
  CHECK(contains(audit, "topic t"));
}

TEST_CASE_METHOD(api_fixture, "a channel is paused and resumed by its name") {
  on("POST /api/v1/channels/email/pause", 200,
     R"({"channel":"email","paused":true,"changed":true})");
  on("POST /api/v1/channels/email/resume", 200,
     R"({"channel":"email","paused":false,"changed":false})");
  CHECK(run({"channels", "pause", "email"}).out == "channel email is paused\n");
  CHECK(run({"channels", "resume", "email"}).out == "channel email is not paused, as before\n");
  CHECK(run({"channels", "pause"}).code == cli::usage);
}

} // namespace
} // namespace notify

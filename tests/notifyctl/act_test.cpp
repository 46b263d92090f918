#include "tests/notifyctl/api_fixture.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

// What changes something: one, some, or many notifications.

namespace notify {
namespace {

using test::api_fixture;
using test::contains;
using test::web::answer_text;

std::string acted(const std::string& id, const std::string& warnings = "") {
  return R"({"notification":{"id":")" + id + R"(","status":"pending"},"warnings":[)" + warnings
         + "]}";
}

std::string operation(const std::string& status, const std::string& done) {
  return R"({"operation":{"id":"12","kind":"retry","status":")" + status
         + R"(","matched":"3","done":")" + done
         + R"(","skipped":{"sent":"1"},"filter":{"channel":"email"}}})";
}

TEST_CASE_METHOD(api_fixture,
                 "notifications are retried by their ids, with a fresh key on demand") {
  on("POST /api/v1/notifications/a/retry", 200, acted("a", R"("unknown_outcome")"));
  on("POST /api/v1/notifications/b/retry", 409, error("WRONG_STATUS", "it is sent"));
  auto result = run({"retry", "a", "b", "--fresh-key"});
  CHECK(result.code == cli::wrong_state);
  CHECK(contains(result.out, "a is pending\nCareful: an attempt may have been accepted"));
  CHECK(contains(result.err, "it is sent (WRONG_STATUS, 409)"));
  CHECK(server.requests().front().body == R"({"key":"fresh"})");
  on("POST /api/v1/notifications/a/cancel", 200, acted("a"));
  CHECK(run({"cancel", "a"}).code == cli::success);
  CHECK(server.requests().back().body == "{}");
  CHECK(server.requests().back().header("Content-Type") == "application/json");
}

TEST_CASE_METHOD(api_fixture, "an act on many counts first, and does nothing in a dry run") {
  on("POST /api/v1/notifications/retry", 200, R"({"count":5,"actionable":3,"capped":true})");
  auto result = run({"retry", "--channel=email", "--status=dead", "--dry-run"});
  CHECK(result.code == cli::success);
  CHECK(result.out == "5 or more match, 3 or more of them can be retried now\n");
  REQUIRE(server.count() == 1u);
  CHECK(server.requests().back().body
        == R"({"filter":{"status":"dead","channel":"email"},"preview":true})");
}

TEST_CASE_METHOD(api_fixture, "an act on many is not begun without a yes") {
  if (isatty(STDIN_FILENO) != 0)
    return; // Someone runs this by hand, and would be asked.
  on("POST /api/v1/notifications/cancel", 200, R"({"count":5,"actionable":3,"capped":false})");
  auto result = run({"cancel", "--channel=email"});
  CHECK(result.code == cli::usage);
  CHECK(contains(result.err, "say --yes"));
  CHECK(contains(result.err, "5 match, 3 of them can be cancelled now"));
  CHECK(server.count() == 1u);
}

TEST_CASE_METHOD(api_fixture, "an act on many tells how far it is until it is over") {
  on("POST /api/v1/notifications/retry",
     {answer_text(200, R"({"count":3,"actionable":2,"capped":false})", json),
      answer_text(202, operation("running", "0"), json)});
  // A look that fails for a moment does not end the wait.
  on("GET /api/v1/operations/12", {answer_text(200, operation("running", "1"), json),
                                   answer_text(503, error("UNAVAILABLE", "busy"), json),
                                   answer_text(200, operation("done", "2"), json)});
  auto result = run({"retry", "--channel=email", "--yes", "--wait", "--fresh-key"});
  INFO(result.err);
  CHECK(result.code == cli::success);
  CHECK(contains(result.err, "operation 12 is stored"));
  CHECK(contains(result.err, "running: 3 looked at, 1 done, skipped: sent 1\n"));
  CHECK(contains(result.err, "done: 3 looked at, 2 done, skipped: sent 1\n"));
  CHECK(contains(result.out, "operation         12\n"));
  CHECK(server.requests()[1].body == R"({"key":"fresh","filter":{"channel":"email"}})");
}

TEST_CASE_METHOD(api_fixture, "an operation that was cancelled or failed is no success") {
  auto status = GENERATE("failed", "cancelled");
  on("GET /api/v1/operations/12", 200, operation(status, "1"));
  CHECK(run({"operations", "show", "12", "--wait"}).code == cli::failed);
  CHECK(run({"operations", "show", "12"}).code == cli::success);
}

TEST_CASE_METHOD(api_fixture, "what an operation passed over is listed") {
  on("GET /api/v1/operations/12/skipped?limit=50", 200,
     R"({"items":[{"id":"a","reason":"sent"}],"next":null})");
  CHECK(contains(run({"operations", "show", "12", "--skipped"}).out, "a   sent"));
}

TEST_CASE_METHOD(api_fixture, "an act needs ids or a filter, and not both") {
  CHECK(run({"retry"}).code == cli::usage);
  CHECK(run({"retry", "a", "--channel=email"}).code == cli::usage);
  CHECK(run({"cancel", "--yes"}).code == cli::usage);
  CHECK(server.count() == 0u);
}

TEST_CASE_METHOD(api_fixture, "an act on nothing is done at once") {
  on("POST /api/v1/notifications/retry", 200, R"({"count":0,"actionable":0,"capped":false})");
  CHECK(run({"retry", "--channel=email"}).code == cli::success);
  CHECK(server.count() == 1u);
}

} // namespace
} // namespace notify

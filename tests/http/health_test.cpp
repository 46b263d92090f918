#include "http/health.hpp"
#include "tests/http/client.hpp"

#include <catch2/catch.hpp>

namespace notify::http {
namespace {

using test::client;
using test::server_fixture;

struct health_fixture : server_fixture {
  health_fixture() {
    add_health_routes(routes,
                      [this](const std::function<void(health_report)>& done) { done(report); });
    start();
  }

  /// Status and body of one request.
  std::string ask(const std::string& path) {
    client x{running->port()};
    x.get(path);
    auto got = x.read();
    CHECK(got.headers["content-type"] == "application/json");
    return std::to_string(got.status) + " " + got.body;
  }

  health_report report;
};

TEST_CASE_METHOD(health_fixture, "a healthy service is live and ready") {
  report.checks.push_back({"kafka", true, ""});
  CHECK(
      ask("/health/live")
      == R"(200 {"live":true,"checks":[{"check":"kafka","ok":true,"reason":"","since_success_ms":null}]})");
  CHECK(
      ask("/health/ready")
      == R"(200 {"ready":true,"checks":[{"check":"kafka","ok":true,"reason":"","since_success_ms":null}]})");
}

TEST_CASE_METHOD(health_fixture, "a service that waits for something is live but not ready") {
  report.ready = false;
  report.checks.push_back({"kafka", false, "no broker answers"});
  CHECK(ask("/health/live").starts_with("200 "));
  CHECK(ask("/health/ready")
        == R"(503 {"ready":false,"checks":[{"check":"kafka","ok":false,)"
           R"("reason":"no broker answers","since_success_ms":null}]})");
}

TEST_CASE_METHOD(health_fixture, "a check tells how long ago its loop last succeeded") {
  report.checks.push_back({"claims", true, "", 1500});
  CHECK(ask("/health/live").find(R"("since_success_ms":1500)") != std::string::npos);
}

TEST_CASE_METHOD(health_fixture, "D-E8 health tells an error's name, not a database's words") {
  report.ready = false;
  report.checks.push_back({"claims", false,
                           "waiting for storage: storage_unavailable(\"connect to "
                           "postgresql://u:hunter2@db failed\")"});
  auto got = ask("/health/ready");
  CHECK(got.find("waiting for storage: storage_unavailable\"") != std::string::npos);
  CHECK(got.find("hunter2") == std::string::npos);
  CHECK(got.find("postgresql") == std::string::npos);
}

TEST_CASE_METHOD(health_fixture, "a service that is broken is not live") {
  report.live = false;
  report.ready = false;
  CHECK(ask("/health/live") == R"(503 {"live":false,"checks":[]})");
}

} // namespace
} // namespace notify::http

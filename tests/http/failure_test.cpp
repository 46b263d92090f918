#include "http/failure.hpp"
#include "messages/error.hpp"

#include <caf/sec.hpp>

#include <catch2/catch.hpp>

namespace notify::http {
namespace {

std::string told(const caf::error& err) {
  auto x = failure_response(err, "NOTIFICATION");
  auto retry = x.headers.empty() ? "" : " " + x.headers.front().first;
  return std::to_string(x.status) + retry + " " + x.body;
}

TEST_CASE("errors for people are told in their own words") {
  CHECK(told(caf::make_error(ec::not_found, std::string{"no notification 7"}))
        == R"(404 {"error":{"code":"NOTIFICATION_NOT_FOUND","message":"no notification 7",)"
           R"("details":{}}})");
  CHECK(told(caf::make_error(ec::wrong_state, std::string{"it is sent"}))
        == R"(409 {"error":{"code":"WRONG_STATUS","message":"it is sent",)"
           R"("details":{}}})");
  CHECK(told(caf::make_error(ec::invalid_request, std::string{"no filter"})).starts_with("400 "));
}

TEST_CASE("D-E8 the words of a database or library reach the log, never a client") {
  auto secret = std::string{"postgresql://notifyd:hunter2@db/notify refused"};
  for (auto code : {ec::storage_unavailable, ec::storage_conflict, ec::kafka_unavailable,
                    ec::stopping, ec::crashed}) {
    auto text = told(caf::make_error(code, secret));
    CHECK(text.starts_with("503 Retry-After "));
    CHECK(text.find("hunter2") == std::string::npos);
  }
  for (auto code : {ec::storage_data, ec::storage_schema, ec::lease_lost, ec::invalid_config,
                    ec::kafka_fatal}) {
    auto text = told(caf::make_error(code, secret));
    CHECK(text.starts_with("500 "));
    CHECK(text.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("an actor that does not answer is a service that is not available") {
  for (auto code :
       {caf::sec::request_timeout, caf::sec::request_receiver_down, caf::sec::invalid_argument})
    CHECK(told(caf::make_error(code)).starts_with("503 Retry-After "));
}

} // namespace
} // namespace notify::http

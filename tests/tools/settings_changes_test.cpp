#include "tests/tools/settings_fixture.hpp"

namespace notify {
namespace {

using names = std::vector<std::string>;

TEST_CASE_METHOD(test::settings_fixture, "what differs between two readings is named") {
  auto first = good("[channel-email]\nslots=4\nsmtp-port=2525\n[kafka]\ngroup=\"a\"\n");
  CHECK(first->changes_since(*first).empty());
  auto second = good("[channel-email]\nslots=5\nsmtp-port=2525\n[kafka]\ngroup=\"b\"\n");
  CHECK(second->changes_since(*first) == names{"kafka.group", "channel-email.slots"});
}

TEST_CASE_METHOD(test::settings_fixture, "of a channel that is off only its provider is a change") {
  auto first = good("[channel-telegram]\nslots=4\n");
  auto second = good("[channel-telegram]\nslots=5\n");
  CHECK(second->changes_since(*first).empty());
  auto third = good("[channel-telegram]\nslots=4\nprovider=\"log\"\n");
  CHECK(third->changes_since(*first) == names{"channel-telegram.provider"});
}

TEST_CASE_METHOD(test::settings_fixture,
                 "a new secret in the same place is a change of the place") {
  variables["NOTIFYD_POSTGRES_PASSWORD"] = "one";
  auto file = "[tracing]\nheaders-file=\"" + folder.write("headers", "x-token: one\n") + "\"\n";
  auto first = good(file);
  variables["NOTIFYD_POSTGRES_PASSWORD"] = "two";
  folder.write("headers", "x-token: two\n");
  auto second = good(file);
  CHECK(second->changes_since(*first) == names{"postgres.password-file", "tracing.headers-file"});
}

TEST_CASE_METHOD(test::settings_fixture, "headers for a collector of traces stand in a file") {
  auto file = folder.write("headers", "Authorization: Bearer a:b\nx-scope:  c\n");
  auto config = good("[tracing]\nendpoint=\"http://127.0.0.1:4318\"\nheaders-file=\"" + file
                     + "\"\nsample-ratio=0.5\n");
  CHECK(config->service().tracing.headers
        == http_headers{{"Authorization", "Bearer a:b"}, {"x-scope", "c"}});
  CHECK(config->service().tracing.sample_ratio == 0.5);
  CHECK(config->dump().find("Bearer") == std::string::npos);
  file = folder.write("headers", "Authorization: secret\nno-colon-here\n");
  auto problem = refusal("[tracing]\nheaders-file=\"" + file + "\"\n");
  CHECK(problem.find("line 2 is not NAME: VALUE") != std::string::npos);
  CHECK(problem.find("no-colon") == std::string::npos);
}

TEST_CASE_METHOD(test::settings_fixture, "a collector's address has to be one") {
  for (auto wrong : {"127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://user:pw@127.0.0.1"})
    CHECK(refusal(std::string{"[tracing]\nendpoint=\""} + wrong + "\"\n").find("tracing.endpoint")
          != std::string::npos);
}

} // namespace
} // namespace notify

#include "tests/tools/settings_fixture.hpp"

#include <chrono>

// What the command line may say, and the exact words about what it may not.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::settings_fixture;

caf::expected<arguments> read(const std::vector<std::string>& words) {
  setting_values defaults;
  auto options = make_options(defaults);
  return read_arguments(words, options);
}

struct bad_line {
  std::vector<std::string> words;
  std::string refusal;
};

const bad_line bad_names[] = {
    {{"chekc"}, "unknown command chekc, did you mean check?"},
    {{"xyz"}, "unknown command xyz; see notifyd --help"},
    {{"check", "run"}, "one command at a time: check or run?"},
    {{"--delivery.laese=5s"}, "unknown option --delivery.laese, did you mean --delivery.lease?"},
    {{"--confg=a"}, "unknown option --confg, did you mean --config?"},
    {{"--zzzzzzzzzzzzzzzz"}, "unknown option --zzzzzzzzzzzzzzzz; see notifyd --help"},
    {{"-x"}, "unknown option -x, options look like --section.name=VALUE"},
    {{"--delivery.lease"}, "--delivery.lease needs a value: --delivery.lease=VALUE"},
    {{"--delivery.lease", "--help"}, "--delivery.lease needs a value: --delivery.lease=VALUE"},
    {{"--http.port=1", "--http.port=2"}, "--http.port is given twice"},
    {{"--config=a", "--config=b"}, "--config is given twice"},
    {{"--config"}, "--config needs a file: --config=FILE"},
    {{"--config="}, "--config needs a file: --config=FILE"},
    {{"--help=yes"}, "--help takes no value"},
    {{"token"}, "token needs a name and a role: notifyd token NAME viewer|operator"},
    {{"token", "olga"}, "token needs a name and a role: notifyd token NAME viewer|operator"},
    {{"token", "olga", "viewer", "x"},
     "token needs a name and a role: notifyd token NAME viewer|operator"},
    {{"check", "--markdown"}, "--markdown belongs to the commands options and outcomes"},
    {{"run", "--status"}, "--status belongs to the command migrate"},
};

TEST_CASE("a command line with wrong words is refused with the nearest right one") {
  for (const auto& x : bad_names) {
    auto result = read(x.words);
    INFO(x.refusal);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    CHECK(problem_text(result.error()) == "command line: " + x.refusal);
  }
}

TEST_CASE("a command line names a command, switches and settings in any order") {
  auto result = read({"--http.port=0", "check", "--config=a.ini", "--delivery.lease", "30s"});
  REQUIRE(result);
  CHECK(result->command == "check");
  CHECK(result->config_file == "a.ini");
  REQUIRE(result->settings.size() == 2u);
  CHECK(result->settings[1].section == "delivery");
  CHECK(result->settings[1].name == "lease");
  CHECK(result->settings[1].text == "30s");
  CHECK(read({})->command == "run");
  CHECK(read({"-h"})->help);
  CHECK(read({"--version"})->version);
}

TEST_CASE_METHOD(settings_fixture, "the command line comes before the file") {
  auto config = good("[http]\nport=1\n[delivery]\nlease=200s\n", {"--http.port=2"});
  CHECK(config->http().port == 2);
  CHECK(config->service().delivery.lease == 200s);
}

TEST_CASE_METHOD(settings_fixture, "on a command line texts need no quotes and lists no brackets") {
  auto config = good("", {"--kafka.brokers=a:1,b:2", "--kafka.group=true", "--service.run-http",
                          "--kafka.topics=[\"x\", \"y\"]", "--channel-email.retry-delays=0s,5s",
                          "--kafka.properties=security.protocol=SSL", "--service.instance=12",
                          "--service.run-ingest=false", "--channel-email.retry-jitter=.5"});
  const auto& x = config->service();
  CHECK(x.kafka.brokers == std::vector<std::string>{"a:1", "b:2"});
  CHECK(x.kafka.group == "true");
  CHECK(x.kafka.topics == std::vector<std::string>{"x", "y"});
  CHECK(x.channels.at("email").retry.delays == std::vector<caf::timespan>{0s, 5s});
  CHECK(x.channels.at("email").retry.jitter == 0.5);
  CHECK(x.kafka.properties == property_map{{"security.protocol", "SSL"}});
  CHECK(x.instance == "12");
  CHECK(x.roles.http);
  CHECK_FALSE(x.roles.ingest);
}

TEST_CASE_METHOD(settings_fixture, "values on the command line are checked like those in a file") {
  CHECK(refusal("", {"--delivery.lease=soon"})
        == "command line: delivery.lease expects a duration such as 30s, 500ms or 5min, not the "
           "text \"soon\"");
  CHECK(refusal("", {"--delivery.lease=9999999999h"})
        == "command line: delivery.lease is too long a duration: 9999999999h");
  CHECK(refusal("", {"--http.port=70000"})
        == "command line: http.port must be 0 to 65535, not 70000");
  CHECK(refusal("", {"--service.run-http=yes"})
        == "command line: service.run-http expects true or false, not the text \"yes\"");
  CHECK(refusal("", {"--kafka.brokers="}) == "command line: kafka.brokers must not be empty");
}

TEST_CASE_METHOD(settings_fixture, "a password on the command line is refused") {
  auto rest = " must not carry a password, because others can see command lines; use a file or the "
              "environment";
  CHECK(refusal("", {"--postgres.url=postgresql://u:pw@db/n"})
        == "command line: postgres.url" + std::string{rest});
  CHECK(refusal("", {"--postgres.url=postgresql://db/n?user=u&password=pw"})
        == "command line: postgres.url" + std::string{rest});
  CHECK(refusal("", {"--kafka.properties=sasl.username=u,sasl.password=pw"})
        == "command line: kafka.properties" + std::string{rest});
  CHECK(good("", {"--postgres.url=postgresql://u@db/n"})->service().postgres.url
        == "postgresql://u@db/n");
}

TEST_CASE_METHOD(settings_fixture,
                 "relative paths of the command line belong to the working folder") {
  auto config = good("", {"--service.routes-file=r.json"});
  CHECK(config->service().routes_file == (std::filesystem::current_path() / "r.json").string());
}

} // namespace
} // namespace notify

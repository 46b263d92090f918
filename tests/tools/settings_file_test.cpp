#include "tests/tools/settings_fixture.hpp"

#include <chrono>

// What a configuration file may say, and the exact words about what it may not.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::settings_fixture;

struct bad_file {
  std::string text;
  std::string refusal;
};

const bad_file bad_files[] = {
    // Syntax.
    {"[delivery]\n# a comment\n", "notifyd.ini:2:1: comments start with ';', not with '#'"},
    {"[postgres]\nurl=postgresql://db/notify\n",
     "notifyd.ini:2:5: unexpected 'p'; texts stand in double quotes, durations look like 30s or "
     "5min"},
    {"[delivery]\nlease=\n",
     "notifyd.ini:2:7: the line ends before its value, quote or bracket is complete"},
    {"[kafka]\nbrokers=[\"a:9092\",",
     "notifyd.ini:2:19: the file ends before a value, quote or bracket is complete"},
    {"[postgres]\nurl=\"a\\b\"\n",
     "notifyd.ini:2:8: only \\n, \\r, \\t, \\\\ and \\\" may follow a backslash"},
    // Names.
    {"[delivry]\nlease=30s\n", "notifyd.ini:1: unknown section [delivry], did you mean delivery?"},
    {"[zzz]\n", "notifyd.ini:1: unknown section [zzz]"},
    {"[delivery]\nlaese=30s\n",
     "notifyd.ini:2: unknown option delivery.laese, did you mean lease?"},
    {"[delivery]\nqqqqq=30s\n", "notifyd.ini:2: unknown option delivery.qqqqq"},
    {"[delivery]\nwriters=2\n",
     "notifyd.ini:2: unknown option delivery.writers, it belongs to [ingest]"},
    {"lease=30s\n[delivery]\n", "notifyd.ini:1: lease stands before the first [section]"},
    {"[delivery]\nlease=60s\n[http]\n[delivery]\nlease=61s\n",
     "notifyd.ini:5: delivery.lease is given twice, first in line 2"},
    {"[channel-email.retry]\ndelays=[0s]\n",
     "notifyd.ini:1: channel-email.retry: there are no maps and no nested sections"},
    {"[kafka]\nproperties={a=\"b\"}\n",
     "notifyd.ini:2: kafka.properties: there are no maps and no nested sections"},
    // Types.
    {"[delivery]\nlease=30\n",
     "notifyd.ini:2: delivery.lease expects a duration such as 30s, 500ms or 5min, not the number "
     "30"},
    {"[delivery]\nresult-batch=\"many\"\n",
     "notifyd.ini:2: delivery.result-batch expects a whole number, not the text \"many\""},
    {"[delivery]\nresult-batch=2.5\n",
     "notifyd.ini:2: delivery.result-batch expects a whole number, not the number 2.5"},
    {"[service]\nrun-http=1\n",
     "notifyd.ini:2: service.run-http expects true or false, not the number 1"},
    {"[kafka]\ngroup=7s\n",
     "notifyd.ini:2: kafka.group expects a text in double quotes, not the duration 7s"},
    {"[kafka]\ngroup='atom'\n",
     "notifyd.ini:2: kafka.group expects a text in double quotes, not the atom 'atom'"},
    {"[kafka]\nbrokers=\"a:9092\"\n",
     "notifyd.ini:2: kafka.brokers expects a list of texts such as [\"a\", \"b\"], not the text "
     "\"a:9092\""},
    {"[kafka]\nbrokers=[1]\n",
     "notifyd.ini:2: kafka.brokers expects a list of texts such as [\"a\", \"b\"], not a list with "
     "the number 1"},
    {"[channel-email]\nretry-delays=[0s, 5]\n",
     "notifyd.ini:2: channel-email.retry-delays expects a list of durations such as [0s, 5s, 2min],"
     " not a list with the number 5"},
    {"[channel-email]\nretry-jitter=\"a\"\n",
     "notifyd.ini:2: channel-email.retry-jitter expects a number, not the text \"a\""},
    // Ranges.
    {"[delivery]\nresult-batch=0\n",
     "notifyd.ini:2: delivery.result-batch must be 1 to 100000, not 0"},
    {"[channel-email]\nslots=0\n", "notifyd.ini:2: channel-email.slots must be 1 to 10000, not 0"},
    {"[channel-email]\nslots=-8\n",
     "notifyd.ini:2: channel-email.slots must be 1 to 10000, not -8"},
    {"[http]\nport=65536\n", "notifyd.ini:2: http.port must be 0 to 65535, not 65536"},
    {"[channel-email]\nsmtp-port=0\n",
     "notifyd.ini:2: channel-email.smtp-port must be 1 to 65535, not 0"},
    {"[delivery]\nlease=-5s\n", "notifyd.ini:2: delivery.lease must be 1s to 24h, not -5s"},
    {"[delivery]\nlease=9999999999h\n", "notifyd.ini:2:7: 9999999999h is too long a duration"},
    {"[kafka]\n; 9999999999h\ngroup=\"\\\"9999999999h\"\n[channel-email]\n"
     "retry-delays=[0s, -9999999999h]\n",
     "notifyd.ini:5:20: 9999999999h is too long a duration"},
    {"[channel-email]\nretry-delays=[]\n",
     "notifyd.ini:2: channel-email.retry-delays must not be empty"},
    {"[channel-email]\nretry-delays=[0s, -1s]\n",
     "notifyd.ini:2: channel-email.retry-delays must be at least 0s, not -1s"},
    {"[channel-email]\nretry-jitter=-0.5\n",
     "notifyd.ini:2: channel-email.retry-jitter must be 0 to 10, not -0.5"},
    {"[kafka]\nbrokers=[]\n", "notifyd.ini:2: kafka.brokers must not be empty"},
    {"[kafka]\nbrokers=[\"a\", \"a\"]\n", "notifyd.ini:2: kafka.brokers has \"a\" twice"},
    {"[kafka]\nbrokers=[\"\"]\n",
     "notifyd.ini:2: kafka.brokers must not have an empty text in its list"},
    {"[kafka]\ngroup=\"\"\n", "notifyd.ini:2: kafka.group must not be empty"},
    {"[channel-email]\nsmtp-from-name=\"a\\nBcc: b\"\n",
     "notifyd.ini:2: channel-email.smtp-from-name must not contain control characters"},
    {"[channel-email]\nprovider=\"smpt\"\n",
     "notifyd.ini:2: channel-email.provider must be \"\", \"log\", \"smtp\", \"resend\", "
     "\"telegram\" or \"webhook\", not \"smpt\", did you mean \"smtp\"?"},
    {"[kafka]\noffset-reset=\"earliset\"\n",
     "notifyd.ini:2: kafka.offset-reset must be \"error\", \"earliest\" or \"latest\", not "
     "\"earliset\", did you mean \"earliest\"?"},
    {"[channel-email]\nsmtp-security=\"ssl\"\n",
     "notifyd.ini:2: channel-email.smtp-security must be \"none\", \"starttls\" or \"tls\", not "
     "\"ssl\""},
    {"[logging]\nlevel=\"verbose\"\n",
     "notifyd.ini:2: logging.level must be \"debug\", \"info\", \"warning\" or \"error\", not "
     "\"verbose\""},
    // Values that do not go together.
    {"[delivery]\nlease=35s\nheartbeat-interval=10s\n[channel-email]\ndeadline=30s\n",
     "delivery.lease (35s) must exceed channel-email.deadline (30s) by more than 5s"},
    {"[delivery]\nlease=60s\nheartbeat-interval=30s\n[channel-email]\ndeadline=30s\n",
     "delivery.heartbeat-interval (30s) must be less than half of delivery.lease (1min)"},
    {"[delivery]\nlease=60s\nheartbeat-interval=9s\n[channel-email]\ndeadline=30s\n"
     "[channel-webhook]\nprovider=\"log\"\ndeadline=1min\n",
     "delivery.lease (1min) must exceed channel-webhook.deadline (1min) by more than 5s"},
    {"[channel-email]\nretry-delays=[5s, 10s]\n",
     "channel-email.retry-delays must begin with 0s, not 5s"},
    {"[channel-email]\nprovider=\"smtp\"\nsmtp-from-address=\"nobody\"\n",
     "channel-email.smtp-from-address must be a mail address, not \"nobody\""},
    {"[channel-email]\nprovider=\"\"\n",
     "service.run-deliver needs a channel with a provider, e.g. channel-email.provider"},
    {"[kafka]\nsession-timeout=2min\n",
     "kafka.max-poll-interval (90s) must not be below kafka.session-timeout (2min)"},
    {"[kafka]\nbuffer-records=10\n",
     "kafka.buffer-records (10) must not be below kafka.batch-records (1000)"},
    {"[service]\nshutdown-timeout=10s\n",
     "service.shutdown-timeout (10s) must exceed delivery.drain-timeout (10s)\n"
     "service.shutdown-timeout (10s) must exceed kafka.close-timeout (10s)"},
    {"[retention]\ninbox=48h\ntopic=36h\n",
     "retention.inbox (48h) must be 0s or exceed retention.topic (36h) by at least 24h: a copy of "
     "an event that was forgotten would be sent again"},
    {"[retention]\ntopic=720h\n",
     "retention.inbox (720h) must be 0s or exceed retention.topic (720h) by at least 24h: a copy "
     "of an event that was forgotten would be sent again"},
    {"[retention]\njobs=59min\ndead-jobs=1s\ndead-letters=30min\n",
     "retention.jobs (59min) must be 0s or at least 1h\n"
     "retention.dead-jobs (1s) must be 0s or at least 1h\n"
     "retention.dead-letters (30min) must be 0s or at least 1h"},
    {"[supervision]\nfirst-delay=1min\n",
     "supervision.first-delay (1min) must not exceed supervision.max-delay (30s)"},
    {"[http]\naddress=\"localhost\"\n",
     "http.address must be an IP address such as 127.0.0.1, not \"localhost\""},
    {"[postgres]\nurl=\"host=db password=secret\"\n",
     "postgres.url must begin with postgresql://, e.g. "
     "postgresql://notify@db.example:5432/notify"},
    // Properties that would lose events.
    {"[kafka]\nproperties=[\"enable.auto.commit=true\"]\n",
     "kafka.properties: enable.auto.commit: is fixed: offsets are committed only after the "
     "database commit"},
    {"[kafka]\nproperties=[\"enable.auto.offset.store=true\"]\n",
     "kafka.properties: enable.auto.offset.store: is fixed: offsets are committed only after the "
     "database commit"},
    {"[kafka]\nproperties=[\"partition.assignment.strategy=range,cooperative-sticky\"]\n",
     "kafka.properties: partition.assignment.strategy: cooperative assignors can lose the "
     "assignment when offsets are committed by hand; use range or roundrobin"},
    {"[kafka]\nproperties=[\"group.id=other\"]\n",
     "kafka.properties: group.id: is set by the option kafka.group"},
    {"[kafka]\nproperties=[\"no.such.thing=1\"]\n",
     "kafka.properties: no.such.thing: No such configuration property: \"no.such.thing\""},
    {"[kafka]\nproperties=[\"check.crcs\"]\n",
     "notifyd.ini:2: kafka.properties expects \"name=value\" in its list; one entry has no name or "
     "no '='"},
    {"[kafka]\nproperties=[\"check.crcs=true\", \"check.crcs=false\"]\n",
     "notifyd.ini:2: kafka.properties has \"check.crcs\" twice"},
};

TEST_CASE_METHOD(settings_fixture, "a bad configuration file is refused with its place and words") {
  for (const auto& x : bad_files)
    CHECK(refusal(x.text) == x.refusal);
}

TEST_CASE_METHOD(settings_fixture,
                 "everything may be kept for ever, or for as long as is allowed") {
  auto for_ever = good("[retention]\ntopic=87600h\ninbox=0s\njobs=0s\ndead-jobs=0s\n"
                       "dead-letters=0s\n");
  CHECK(dedup_window(for_ever->service().retention.keep).count() == 0);
  auto shortest = good("[retention]\ntopic=1h\ninbox=25h\njobs=1h\n");
  CHECK(dedup_window(shortest->service().retention.keep) == 25h);
}

TEST_CASE_METHOD(settings_fixture, "all problems of a file are told at once") {
  CHECK(refusal("[delivery]\nlease=1\nlaese=2s\n[http]\nport=\"a\"\n")
        == "notifyd.ini:2: delivery.lease expects a duration such as 30s, 500ms or 5min, not the "
           "number 1\n"
           "notifyd.ini:3: unknown option delivery.laese, did you mean lease?\n"
           "notifyd.ini:5: http.port expects a whole number, not the text \"a\"");
}

TEST_CASE_METHOD(settings_fixture, "an unknown section is told once, not once per option") {
  CHECK(refusal("[zzz]\na=1\nb=2\n") == "notifyd.ini:1: unknown section [zzz]");
}

TEST_CASE_METHOD(settings_fixture, "a refusal never repeats what may be a secret") {
  for (auto text : {"[postgres]\nurl=12345\n", "[postgres]\nurl=\"mysql://u:12345@db/x\"\n",
                    "[kafka]\nproperties=[\"sasl.password=12345\", 12345]\n"}) {
    auto words = refusal(text);
    CHECK(words.find("12345") == std::string::npos);
  }
}

TEST_CASE_METHOD(settings_fixture, "a file fills the configuration") {
  auto config = good("; all kinds of values\n"
                     "[service]\ninstance=\"a-1\"\nrun-ingest=false\nio-threads=3\n"
                     "[kafka]\nbrokers=[\"a:9092\", \"b:9092\"] ; two\n"
                     "properties=[\"security.protocol=SSL\"]\n"
                     "[delivery]\nlease=3min\n"
                     "[channel-telegram]\nprovider=\"log\"\nretry-jitter=1\n"
                     "retry-delays=[0s,\n  5s, ; then longer\n  2min]\n"
                     "[channel-email]\nprovider=\"smtp\"\nsmtp-security=\"tls\"\n"
                     "[logging]\nlevel=\"debug\"\nformat=\"json\"\n"
                     "[scheduler]\nmax-threads=7\nmax-throughput=9\n");
  const auto& x = config->service();
  CHECK(x.instance == "a-1");
  CHECK_FALSE(x.roles.ingest);
  CHECK(x.roles.deliver);
  CHECK(x.io_threads == 3u);
  CHECK(x.kafka.brokers == std::vector<std::string>{"a:9092", "b:9092"});
  CHECK(x.kafka.properties == property_map{{"security.protocol", "SSL"}});
  CHECK(x.delivery.lease == 3min);
  REQUIRE(x.channels.size() == 2u);
  CHECK(x.channels.at("telegram").retry.delays == std::vector<caf::timespan>{0s, 5s, 2min});
  CHECK(x.channels.at("telegram").retry.jitter == 1.0);
  CHECK(x.channels.at("email").smtp.security == smtp_security::tls);
  CHECK(config->logging().level == log::level::debug);
  CHECK(config->logging().format == log::format::json);
  CHECK(caf::get_or(*config, "scheduler.max-threads", size_t{0}) == 7u);
  CHECK(caf::get_or(*config, "scheduler.max-throughput", size_t{0}) == 9u);
}

TEST_CASE_METHOD(settings_fixture, "an empty file leaves the defaults, with e-mail as a dry run") {
  auto config = good("");
  const auto& x = config->service();
  service_config defaults;
  CHECK(x.delivery.lease == defaults.delivery.lease);
  CHECK(x.kafka.group == defaults.kafka.group);
  REQUIRE(x.channels.size() == 1u);
  CHECK(x.channels.at("email").provider == "log");
  CHECK_FALSE(x.instance.empty());
  CHECK(caf::get_or(*config, "scheduler.max-threads", size_t{0}) >= 2u);
}

TEST_CASE_METHOD(settings_fixture, "Windows line ends and a byte order mark are accepted") {
  CHECK(good("\xEF\xBB\xBF[http]\r\nport=0\r\n")->http().port == 0);
}

TEST_CASE_METHOD(settings_fixture, "relative paths of a file are relative to its folder") {
  auto config = good("[service]\nroutes-file=\"sub/../r.json\"\n");
  CHECK(config->service().routes_file == (folder.path() / "r.json").string());
  CHECK(config->service().templates_folder == (folder.path() / "templates").string());
}

TEST_CASE_METHOD(settings_fixture, "a file that cannot be read is refused") {
  arguments args;
  args.config_file = (folder.path() / "missing.ini").string();
  auto result = settings::load(args, env());
  REQUIRE_FALSE(result);
  CHECK(problem_text(result.error())
        == "cannot read " + *args.config_file + ": No such file or directory");
  args.config_file = folder.path().string();
  result = settings::load(args, env());
  REQUIRE_FALSE(result);
  CHECK(problem_text(result.error()) == "cannot read " + *args.config_file + ": it is a folder");
}

TEST_CASE_METHOD(settings_fixture, "the environment may name the file, an argument comes first") {
  variables["NOTIFYD_CONFIG"] = folder.write("env.ini", "[http]\nport=1\n");
  auto from_env = settings::load({}, env());
  REQUIRE(from_env);
  CHECK((*from_env)->http().port == 1);
  CHECK(good("[http]\nport=2\n")->http().port == 2);
}

} // namespace
} // namespace notify

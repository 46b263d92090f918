#include "actors/kafka/admin.hpp"
#include "messages/uuid.hpp"
#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/scripted_http.hpp"
#include "tests/support/temp_folder.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <memory>

// `notifyctl doctor` with deliberately broken things. Every test breaks one and looks at its line.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::contains;
using test::notifyctl;
using test::postgres_fixture;
using test::scripted_http;
namespace web = test::web;

std::string unique(const std::string& prefix) {
  return prefix + "-" + to_string(uuid::random());
}

/// A port that was free a moment ago.
uint16_t free_port() {
  scripted_http probe{{web::serve()}};
  return probe.port();
}

struct doctor_fixture {
  struct line {
    std::string result;
    std::string text;
    std::string fix;
  };

  /// Makes the topics that `settings` names.
  void make_topics(const std::string& letter_bytes = "2097152") {
    auto client = kafka::admin::create({brokers}, "test");
    REQUIRE(client);
    REQUIRE(client->create_missing(
        {{topic, 3, {}}, {letters, 1, {{"max.message.bytes", letter_bytes}}}}, 30s));
    REQUIRE_FALSE(client->wait_for({topic, letters}, 30s));
  }

  std::string settings() const {
    const std::string config = NOTIFY_SOURCE_FOLDER "/tools/config/";
    return "[service]\nroutes-file=\"" + config + "routes.json\"\ntemplates-folder=\"" + config
           + "templates\"\n[postgres]\nurl=\"" + url + "\"\n" + more_postgres
           + "[kafka]\nbrokers=[\"" + brokers + "\"]\ntopics=[\"" + topic
           + "\"]\ndead-letter-topic=\"" + letters + "\"\ngroup=\"" + unique("doctor")
           + "\"\n[http]\nport=" + std::to_string(http_port) + "\n" + more;
  }

  test::ctl_outcome examine(std::vector<std::string> more_words = {}) {
    std::vector<std::string> words{"doctor", "--timeout=3",
                                   "--config=" + folder.write("notifyd.ini", settings())};
    words.insert(words.end(), more_words.begin(), more_words.end());
    return notifyctl(words);
  }

  /// Runs it and keeps the worst line of each check.
  int run() {
    auto outcome = examine({"--json"});
    INFO(outcome.err);
    lines.clear();
    all = outcome.out;
    auto answer = boost::json::parse(outcome.out);
    for (const auto& x : answer.as_object().at("checks").as_array()) {
      const auto& members = x.as_object();
      auto text = [&](const char* name) {
        return std::string{std::string_view{members.at(name).as_string()}};
      };
      auto& kept = lines[text("check")];
      if (kept.result.empty() || kept.result == "ok")
        kept = {text("result"), text("text"), text("fix")};
    }
    return outcome.code;
  }

  /// The line of a check that must be there.
  line at(const std::string& check) {
    INFO(all);
    INFO(check);
    REQUIRE(lines.contains(check));
    return lines[check];
  }

  postgres_fixture db;
  test::temp_folder folder;
  std::string url = db.url();
  std::string brokers = test::environment("NOTIFY_TEST_KAFKA");
  std::string topic = unique("events");
  std::string letters = unique("letters");
  uint16_t http_port = free_port();
  std::string more_postgres;
  std::string more;
  std::map<std::string, line> lines;
  std::string all;
};

TEST_CASE_METHOD(doctor_fixture, "the doctor finds nothing broken where nothing is") {
  make_topics();
  auto code = run();
  INFO(all);
  CHECK((code == cli::success || code == cli::warnings));
  for (const auto* check :
       {"settings", "channels", "routes", "database", "writable", "indexes", "rights", "schema",
        "vacuum", "database clock", "kafka", "http", "inspection"})
    CHECK(at(check).result == "ok");
  CHECK(at("topic " + topic).text == "3 partitions");
  CHECK(at("topic " + letters).text == "takes 2097152 bytes");
  CHECK(at("http").text == "no service runs, 127.0.0.1:" + std::to_string(http_port) + " is free");
  for (const auto& [check, x] : lines)
    CHECK((x.result == "ok" || !x.fix.empty()));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor prints a line for each check, and how to repair it") {
  db.query("update pg_index set indisvalid = false "
           "where indexrelid = 'notify.notification_jobs_pkey'::regclass");
  auto outcome = examine();
  CHECK(outcome.code == cli::failed);
  CHECK(contains(outcome.out, "\nok    schema          version "));
  CHECK(contains(outcome.out,
                 "\nfail  indexes         not valid, left by a build that did not end: "
                 "notification_jobs_pkey\n      -> reindex index concurrently "
                 "notify.notification_jobs_pkey\n"));
}

TEST_CASE("D-E7 the doctor says what to run if the schema is behind") {
  doctor_fixture fixture;
  postgres_fixture empty{postgres_fixture::schema::empty};
  fixture.url = empty.url();
  CHECK(fixture.run() == cli::failed);
  CHECK(fixture.at("schema").result == "fail");
  CHECK(contains(fixture.at("schema").text, "version 0, this program needs"));
  CHECK(contains(fixture.at("schema").fix, "notifyd migrate"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a database that is not there, and goes on") {
  make_topics();
  url = "postgresql://notify@127.0.0.1:1/notify";
  CHECK(run() == cli::failed);
  CHECK(at("database").result == "fail");
  CHECK(at("kafka").result == "ok");
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a read-only database") {
  db.query("alter database \"" + db.name() + "\" set default_transaction_read_only = on");
  CHECK(run() == cli::failed);
  CHECK(at("writable").result == "fail");
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells rights that are missing") {
  auto user = "doctor_" + db.name();
  db.query("create role \"" + user + "\" login; grant usage on schema notify to \"" + user
           + "\"; grant select on all tables in schema notify to \"" + user + "\"");
  auto at_sign = url.find('@');
  url = "postgresql://" + user + url.substr(at_sign);
  auto code = run();
  db.query("drop owned by \"" + user + "\"; drop role \"" + user + "\"");
  CHECK(code == cli::failed);
  CHECK(contains(at("rights").text, "insert on notify.notification_jobs"));
  CHECK_FALSE(contains(at("rights").text, "select on"));
  CHECK(contains(at("rights").fix, "grant "));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a table that is not vacuumed") {
  db.query("alter table notify.job_queue set (autovacuum_enabled = false)");
  run();
  CHECK(at("vacuum").result == "warn");
  CHECK(contains(at("vacuum").text, "job_queue"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells topics that are missing, and how to make them") {
  CHECK(run() == cli::failed);
  CHECK(at("topic " + topic).result == "fail");
  CHECK(contains(at("topic " + topic).fix, "notifyctl topics create"));
  CHECK(at("topic " + letters).result == "fail");
  CHECK(contains(at("topic " + letters).fix, "max.message.bytes="));
}

TEST_CASE_METHOD(doctor_fixture,
                 "the doctor tells a topic too small for the largest dead letters") {
  make_topics("1048588");
  run();
  CHECK(at("topic " + letters).result == "warn");
  CHECK(contains(at("topic " + letters).text, "1048588"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a first start that will wait for a decision") {
  make_topics();
  run();
  CHECK(at("offsets").result == "warn");
  CHECK(contains(at("offsets").fix, "first-start"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a broker that does not answer") {
  brokers = "127.0.0.1:1";
  CHECK(run() == cli::failed);
  CHECK(at("kafka").result == "fail");
  CHECK(contains(at("kafka").text, "127.0.0.1:1"));
  CHECK(at("http").result == "ok");
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells a password that others can read") {
  auto file = folder.write("password", "s3cret\n");
  more_postgres = "password-file=\"" + file + "\"\n";
  std::filesystem::permissions(file, std::filesystem::perms{0644});
  run();
  CHECK(at("secrets").result == "warn");
  CHECK(at("secrets").fix == "chmod 600 " + file);
  CHECK_FALSE(contains(all, "s3cret"));
  std::filesystem::permissions(file, std::filesystem::perms{0600});
  run();
  CHECK(at("secrets").result == "ok");
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells wrong settings line by line") {
  more = "[delivery]\nleese=1s\n[kafkaa]\n";
  CHECK(run() == cli::failed);
  CHECK(contains(all, "did you mean lease?"));
  CHECK(contains(all, "did you mean kafka?"));
  CHECK(at("settings").result == "fail");
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells routes that do not fit") {
  auto routes = folder.write("routes.json", R"({"routes":[{"event_type":"order.paid.v1",
    "channel":"emial","recipient":"email","template":"no-such-template"}]})");
  auto text = settings();
  auto at_file = text.find(NOTIFY_SOURCE_FOLDER);
  text.replace(at_file, text.find('"', at_file) - at_file, routes);
  auto outcome = notifyctl({"doctor", "--timeout=3", "--config=" + folder.write("x.ini", text)});
  CHECK(outcome.code == cli::failed);
  CHECK(contains(outcome.out, "did you mean \"email\"?"));
  CHECK(contains(outcome.out, "no-such-template"));
}

TEST_CASE_METHOD(doctor_fixture,
                 "the doctor tells a service that runs from one that is not ready") {
  scripted_http ready{{web::serve(200, R"({"ready":true,"checks":[]})")}};
  http_port = ready.port();
  run();
  CHECK(contains(at("http").text, "is ready"));
  scripted_http waiting{{web::serve(
      503, R"({"ready":false,"checks":[{"check":"kafka","ok":false,"reason":"no assignment"}]})")}};
  http_port = waiting.port();
  run();
  CHECK(at("http").result == "warn");
  CHECK(contains(at("http").text, "kafka no assignment"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor tells ports that others have") {
  scripted_http stranger{{web::serve(200, "hello")}};
  http_port = stranger.port();
  more = "[inspection]\nport=";
  scripted_http silent{{web::freeze()}};
  more += std::to_string(silent.port()) + "\n";
  CHECK(run() == cli::failed);
  CHECK(contains(at("http").text, "is taken by something else"));
  CHECK(at("inspection").result == "fail");
  http_port = silent.port();
  more.clear();
  CHECK(run() == cli::failed);
  CHECK(contains(at("http").text, "does not answer"));
}

TEST_CASE_METHOD(doctor_fixture, "the doctor does not take a service that speaks TLS for another") {
  scripted_http secret{{web::freeze()}};
  http_port = secret.port();
  more = "tls-certificate=\"/nowhere/cert.pem\"\ntls-key=\"/nowhere/key.pem\"\n";
  run();
  CHECK(at("http").result == "ok");
  CHECK(contains(at("http").text, "takes TLS"));
}

TEST_CASE("the doctor says that it was told no settings") {
  auto outcome = notifyctl({"doctor", "--timeout=1", "--brokers=127.0.0.1:1",
                            "--postgres=postgresql://u@127.0.0.1:1/x"});
  CHECK(outcome.code == cli::failed);
  CHECK(contains(outcome.out, "warn  settings        no file is named"));
}

} // namespace
} // namespace notify

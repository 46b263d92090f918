#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/mail_dev.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <future>

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";
constexpr auto all_jobs = "select count(*) from notify.notification_jobs";
constexpr auto all_events = "select count(*) from notify.inbox_events";

TEST_CASE("an event becomes a job, an attempt, and the mail that was asked for") {
  pipeline_fixture fixture;
  mail_dev mailbox;
  auto config = fixture.config();
  auto& channel = config.channels["email"];
  channel.provider = "smtp";
  channel.smtp.host = mailbox.smtp_host();
  channel.smtp.port = mailbox.smtp_port();
  channel.smtp.security = smtp_security::none;
  channel.smtp.from_address = "shop@example.com";
  channel.smtp.message_id_domain = "notify.test";
  running_pipeline pipeline{config};
  sample::choices choices;
  choices.email = "pavel@example.com";
  choices.locale = "ru";
  fixture.publish({fixture.event(choices)});
  fixture.require_value(sent_jobs, "1");

  auto job_id = fixture.db.value("select id from notify.notification_jobs");
  auto mails = mailbox.mails(job_id);
  REQUIRE(mails.size() == 1);
  const auto& mail = mails[0];
  CHECK(mail.message_id == job_id + "@notify.test");
  CHECK(mail.to == "pavel@example.com");
  CHECK(mail.from == "shop@example.com");
  // What the templates say in Russian; the parts carry the same order and amount.
  CHECK(mail.subject.find("оплачен") != std::string::npos);
  auto order = fixture.db.value("select aggregate_id from notify.inbox_events");
  CHECK(mail.text.find(order) != std::string::npos);
  CHECK(mail.html.find(order) != std::string::npos);
  CHECK(mail.html.find("<html") != std::string::npos);

  auto attempts = fixture.db.query("select attempt_no, result, provider, phase, error_code is null,"
                                   " latency_ms is not null, content_hash is not null"
                                   " from notify.delivery_attempts");
  CHECK(attempts == postgres_fixture::rows{{"1", "sent", "smtp", "done", "t", "t", "t"}});
  CHECK(fixture.db.value("select count(*) from notify.job_queue") == "0");
  fixture.require_value("select count(*) from notify.leases", "0");
}

TEST_CASE("a second copy of an event makes no second job and moves the offset") {
  pipeline_fixture fixture;
  running_pipeline pipeline{fixture.config()};
  auto event = fixture.event();
  fixture.publish({event});
  fixture.require_value(sent_jobs, "1");
  fixture.publish({event, event, fixture.event()});
  fixture.require_value(sent_jobs, "2");
  CHECK(fixture.db.value(all_events) == "2");
  CHECK(fixture.db.value("select count(*) from notify.delivery_attempts") == "2");
  CHECK(eventually([&] { return fixture.committed_records() == 4; }));
}

TEST_CASE("each event of one order gets its own notification") {
  pipeline_fixture fixture;
  running_pipeline pipeline{fixture.config()};
  std::vector<kafka::outgoing_record> records;
  for (auto type : sample::types()) {
    sample::choices choices;
    choices.type = type;
    auto record = fixture.event(choices);
    record.key = {true, "order-1"};
    records.push_back(record);
  }
  fixture.publish(records);
  fixture.require_value(sent_jobs, std::to_string(records.size()));
  CHECK(fixture.db.value("select count(distinct template_key) from notify.notification_jobs")
        == std::to_string(records.size()));
  CHECK(fixture.db.value("select count(distinct partition) from notify.inbox_events") == "1");
}

TEST_CASE("a record that can never be processed is kept as it was, and its partition goes on") {
  pipeline_fixture fixture{1};
  running_pipeline pipeline{fixture.config()};
  auto poison = fixture.event();
  poison.value.bytes = std::string{"not json\0\xff", 10};
  poison.key = {true, "k"};
  fixture.publish({poison, fixture.event()});
  fixture.require_value(sent_jobs, "1");
  CHECK(
      fixture.db.query("select reason, \"offset\", encode(value, 'hex'), convert_from(key, 'UTF8')"
                       " from notify.dead_letters")
      == postgres_fixture::rows{{"not_utf8", "0", "6e6f74206a736f6e00ff", "k"}});
}

TEST_CASE("the service finds its way through a database outage, and nothing is doubled") {
  pipeline_fixture fixture;
  running_pipeline pipeline{fixture.config()};
  fixture.publish(fixture.events(50));
  fixture.require_value(sent_jobs, "50");
  // Every session of the service dies, some of them in the middle of something.
  for (int round = 0; round < 5; ++round) {
    fixture.publish(fixture.events(50));
    for (auto role : {"ingest", "claim", "result"})
      fixture.db.terminate(role);
  }
  fixture.require_value(sent_jobs, "300");
  CHECK(fixture.db.value(all_jobs) == "300");
  CHECK(fixture.db.value("select count(*) from notify.dead_letters") == "0");
}

TEST_CASE("a stopped service gives back what it has not started, and the next one delivers it") {
  pipeline_fixture fixture;
  auto config = fixture.config();
  {
    running_pipeline pipeline{config};
    fixture.publish(fixture.events(500));
    REQUIRE(eventually([&] { return fixture.db.value(all_jobs) != "0"; }));
    pipeline->stop();
    REQUIRE(pipeline->wait(60s));
    CHECK_FALSE(pipeline->failure());
  }
  CHECK(fixture.db.value("select count(*) from notify.leases") == "0");
  CHECK(fixture.db.value("select count(*) from notify.notifications where status = 'processing'")
        == "0");
  running_pipeline pipeline{config};
  fixture.require_value(sent_jobs, "500");
  CHECK(fixture.db.value("select max(attempt_no) from notify.delivery_attempts") == "1");
}

TEST_CASE("health tells what a part waits for") {
  pipeline_fixture fixture;
  running_pipeline pipeline{fixture.config()};
  auto ask = [&] {
    std::promise<health_report> answer;
    pipeline->health([&](health_report x) { answer.set_value(std::move(x)); });
    return answer.get_future().get();
  };
  REQUIRE(eventually([&] { return ask().ready; }));
  fixture.db.query("alter database " + fixture.db.name()
                   + " set default_transaction_read_only = on");
  for (auto role : {"ingest", "claim", "result", "reaper"})
    fixture.db.terminate(role);
  fixture.publish(fixture.events(1));
  REQUIRE(eventually([&] { return !ask().ready; }));
  CHECK(ask().live);
  fixture.db.query("set default_transaction_read_only = off; alter database " + fixture.db.name()
                   + " reset default_transaction_read_only");
  for (auto role : {"ingest", "claim", "result", "reaper"})
    fixture.db.terminate(role);
  REQUIRE(eventually([&] { return ask().ready; }));
  fixture.require_value(sent_jobs, "1");
}

} // namespace
} // namespace notify::test

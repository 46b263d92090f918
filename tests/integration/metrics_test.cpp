#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/wait.hpp"

#include <caf/send.hpp>

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

// What the whole service tells Prometheus, and how processes wake each other.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";

/// The value of a series, or -1 if it is not there.
double value_of(const std::string& text, const std::string& series) {
  auto at = ("\n" + text).find("\n" + series + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 1));
}

TEST_CASE("metrics tell what a run came to, and the books balance") {
  pipeline_fixture fixture;
  auto config = fixture.config();
  config.stats.interval = 200ms;
  running_pipeline pipeline{config};
  auto records = fixture.events(40);
  records.push_back(records.front()); // A duplicate.
  auto bad = fixture.event();
  bad.value = {true, "{"};
  records.push_back(bad);
  fixture.publish(records);
  fixture.require_value(sent_jobs, "40");
  fixture.require_value("select count(*) from notify.dead_letters", "1");

  auto is = [&](const std::string& series, double wanted) {
    auto holds =
        eventually([&] { return value_of(pipeline->metrics_text(), series) == wanted; }, 20s);
    INFO(series << " is " << value_of(pipeline->metrics_text(), series));
    CHECK(holds);
  };
  is("notify_kafka_records_total", 42);
  is("notify_ingest_records_total{result=\"stored\"}", 40);
  is("notify_ingest_records_total{result=\"duplicate\"}", 1);
  is("notify_ingest_invalid_total{reason=\"not_json\"}", 1);
  is("notify_ingest_latency_seconds_count", 42);
  is("notify_delivery_attempts_total{channel=\"email\",result=\"sent\"}", 40);
  is("notify_job_to_sent_seconds_count{channel=\"email\"}", 40);
  is("notify_job_attempts_sum{channel=\"email\"}", 40);
  is("notify_provider_requests_total{channel=\"email\",provider=\"log\",result=\"sent\"}", 40);
  is("notify_jobs{channel=\"email\",status=\"sent\"}", 40);
  is("notify_jobs{channel=\"email\",status=\"pending\"}", 0);
  is("notify_books_difference{book=\"jobs\"}", 0);
  is("notify_books_difference{book=\"events\"}", 0);
  is("notify_kafka_partitions{state=\"assigned\"}", 2);
  is("notify_slots{channel=\"email\",state=\"idle\"}", 8);
  is("notify_listener_up", 1);
  is("notify_actors{actor=\"delivery-worker-email\"}", 8);
  is("notify_db_connections_open{role=\"claim\"}", 1);

  // D-F7: nothing of a notification is in it.
  auto text = pipeline->metrics_text();
  for (const auto& row : fixture.db.query("select id, event_id, recipient from "
                                          "notify.notification_jobs"))
    for (const auto& secret : row)
      CHECK(text.find(secret) == std::string::npos);
  CHECK(text.find(fixture.db.name()) == std::string::npos);

  // Everything that is printed is documented.
  std::ifstream file{NOTIFY_SOURCE_DIR "/docs/metrics.md"};
  std::string documents{std::istreambuf_iterator<char>{file}, {}};
  std::regex type{"# TYPE ([a-z_]+) "};
  for (std::sregex_iterator i{text.begin(), text.end(), type}, end; i != end; ++i) {
    INFO((*i)[1].str());
    CHECK(documents.find("`" + (*i)[1].str() + "`") != std::string::npos);
  }
}

TEST_CASE("counters outlive the actors that count") {
  pipeline_fixture fixture;
  auto config = fixture.config();
  config.supervision.first_delay = 10ms;
  running_pipeline pipeline{config};
  fixture.publish(fixture.events(5));
  fixture.require_value(sent_jobs, "5");
  caf::anon_send(pipeline->actors()->consumer(), crash_now{"test"});
  fixture.publish(fixture.events(5));
  fixture.require_value(sent_jobs, "10");
  CHECK(value_of(pipeline->metrics_text(), "notify_kafka_records_total") >= 10);
  // The old consumer may have read them; the new one joins in any case.
  CHECK(eventually(
      [&] { return value_of(pipeline->metrics_text(), "notify_kafka_rebalances_total") >= 2; }));
}

TEST_CASE("a process that polls rarely delivers at once what another one stores") {
  pipeline_fixture fixture;
  auto reading = fixture.config();
  reading.roles.deliver = false;
  auto sending = fixture.config();
  sending.roles.ingest = false;
  sending.delivery.poll_interval = 10min;
  running_pipeline sender{sending};
  REQUIRE(eventually([&] { return sender->metrics()->listener.up.Value() == 1; }));
  running_pipeline reader{reading};
  for (size_t round = 1; round <= 3; ++round) {
    fixture.publish(fixture.events(1));
    fixture.require_value(sent_jobs, std::to_string(round));
  }
  CHECK(sender->metrics()->listener.notices.Value() >= 1);
  CHECK(value_of(reader->metrics_text(), "notify_listener_notices_sent_total") >= 1);
}

TEST_CASE("without notices polling delivers") {
  pipeline_fixture fixture;
  auto reading = fixture.config();
  reading.roles.deliver = false;
  reading.delivery.listen = false;
  auto sending = fixture.config();
  sending.roles.ingest = false;
  sending.delivery.listen = false;
  running_pipeline reader{reading};
  running_pipeline sender{sending};
  fixture.publish(fixture.events(3));
  fixture.require_value(sent_jobs, "3");
  CHECK(fixture.db.value("select count(*) from pg_stat_activity where datname = current_database() "
                         "and application_name like '%/listen'")
        == "0");
}

} // namespace
} // namespace notify::test

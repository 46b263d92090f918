#include "http/token_list.hpp"
#include "tests/operators/populated_fixture.hpp"
#include "tests/support/daemon.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>

// The real program with a real database, held against the description that it serves. The checks
// themselves are in contract.py.

namespace notify::test {
namespace {

using http::access;

constexpr auto routes_file = NOTIFY_SOURCE_DIR "/tools/config/routes.json";

class contract_fixture {
public:
  contract_fixture() {
    auto file =
        folder_.write("tokens", http::token_line("vera", access::viewer, viewer_) + "\n"
                                    + http::token_line("olga", access::act, operator_) + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    tokens_file_ = file;
    seed();
  }

  /// Starts the program with these settings on top and waits until it listens.
  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "run", "--service.run-ingest=false", "--service.instance=contract",
        std::string{"--service.routes-file="} + routes_file,
        "--service.templates-folder=" NOTIFY_SOURCE_DIR "/tools/config/templates",
        "--postgres.url=" + db.url(), "--http.port=0", "--http.tokens-file=" + tokens_file_,
        "--channel-email.provider=log",
        // One operation is to run as long as it is not cancelled.
        "--operators.operation-interval=1h", "--logging.format=json"};
    words.insert(words.end(), more.begin(), more.end());
    program_ = std::make_unique<daemon>("notifyd", words);
    REQUIRE(eventually([&] { return port() != 0; }));
  }

  /// Runs a mode of contract.py; nothing may be wrong.
  void check(const std::string& mode) {
    boost::json::object samples;
    samples["url"] = "http://127.0.0.1:" + std::to_string(port());
    samples["viewer"] = viewer_;
    samples["operator"] = operator_;
    auto first = [&](const std::string& what) { return db.value("select min(" + what); };
    samples["notification"] = first("job_id::text) from notify.delivery_attempts");
    samples["dead_notification"] =
        first("id::text) from notify.notifications where status = 'dead' and channel = 'email'");
    samples["waiting_notification"] =
        first("id::text) from notify.notifications where status = 'pending' and channel = 'email'");
    samples["event"] = first("event_id::text) from notify.inbox_events");
    samples["dead_letter"] = db.value("select min(id) from notify.dead_letters");
    samples["operation"] = db.value("select max(id) from notify.operations");
    samples["channel"] = "email";
    auto file = folder_.write("samples-" + mode + ".json", boost::json::serialize(samples));
    process python{{PYTHON_PROGRAM, NOTIFY_SOURCE_DIR "/tests/api/contract.py", mode, file}};
    auto code = python.wait();
    INFO(python.output());
    INFO(python.error_text());
    CHECK(code == 0);
  }

  /// Everything that an act could change.
  std::string fingerprint() {
    std::string result;
    for (const auto& row :
         db.query("select table_name from information_schema.tables where "
                  "table_schema = 'notify' and table_type = 'BASE TABLE' order by 1"))
      result += row[0] + "="
                + db.value("select coalesce(md5(string_agg(x::text, ' ' order by x::text)), '') "
                           "from notify."
                           + row[0] + " x")
                + "\n";
    return result;
  }

  std::string stop() {
    program_->signal(SIGTERM);
    CHECK(program_->wait() == 0);
    return program_->output();
  }

  const std::string& viewer() const { return viewer_; }
  const std::string& operator_token() const { return operator_; }

  postgres_fixture db;

private:
  /// Something of everything that can be asked for. What waits is due tomorrow, so that it waits
  /// still when it is asked for.
  void seed() {
    populate(db, 1, 60);
    db.query("update notify.job_queue set due_at = now() + interval '1 day'");
    // Numbers that a browser would round.
    db.query("insert into notify.dead_letters (id, topic, partition, \"offset\", timestamp_ms, key,"
             " value, header_names, header_values, reason, detail, published_at)"
             " overriding system value select g, 'orders.events.v1', 0, g, 1, 'k',"
             " convert_to('not json', 'UTF8'), array['\\xff'::bytea, 'b'],"
             " array[null, 'v'::bytea], 'not_json', 'd', now()"
             " from generate_series(1970670598291982290, 1970670598291982292) g");
    db.query("insert into notify.operations (id, kind, filter, created_by) overriding system value"
             " values (1970670598291982290, 'retry', '{\"status\": \"dead\", \"created_from\":"
             " \"2026-09-01T16:00:00.000001Z\"}', 'olga');"
             "insert into notify.operation_skips select id, gen_random_uuid(), 'sent'"
             " from notify.operations;"
             "insert into notify.audit_log (actor, action, target) values ('olga', 'a', 't')");
  }

  uint16_t port() const {
    auto text = program_->output();
    auto line = text.find("\"message\":\"listening\"");
    if (line == std::string::npos)
      return 0;
    auto at = text.find("\"port\":", line);
    return static_cast<uint16_t>(std::stoul(text.substr(at + 7)));
  }

  temp_folder folder_;
  std::string viewer_ = http::make_token();
  std::string operator_ = http::make_token();
  std::string tokens_file_;
  std::unique_ptr<daemon> program_;
};

TEST_CASE_METHOD(contract_fixture, "every documented operation answers as it is documented") {
  start();
  check("calls");
  stop();
}

TEST_CASE_METHOD(contract_fixture,
                 "Q-B32 an id of 64 bits survives a browser in list, detail and act") {
  start();
  check("ids");
  stop();
}

TEST_CASE_METHOD(
    contract_fixture,
    "Q-B34 no operation is open to a token that does not allow it, and nothing changes") {
  // Nothing is delivered meanwhile, so that nothing changes by itself.
  start({"--service.run-deliver=false"});
  auto before = fingerprint();
  check("roles");
  auto log = stop();
  CHECK(fingerprint() == before);
  CHECK(log.find("\"message\":\"refused") != std::string::npos);
}

TEST_CASE_METHOD(contract_fixture,
                 "Q-B34 nonsense in queries and ids is refused, never a failure") {
  start();
  check("fuzz");
  stop();
}

TEST_CASE_METHOD(contract_fixture, "D-E8 no token and no password stands in any log line") {
  start({"--logging.level=debug"});
  check("calls");
  check("roles");
  auto log = stop();
  CHECK(log.find(viewer()) == std::string::npos);
  CHECK(log.find(operator_token()) == std::string::npos);
  CHECK(log.find(viewer().substr(8, 32)) == std::string::npos);
  CHECK(log.find("Bearer") == std::string::npos);
}

} // namespace
} // namespace notify::test

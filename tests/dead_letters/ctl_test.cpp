#include "tests/actors/ingest/sample_records.hpp"
#include "tests/dead_letters/store_fixture.hpp"
#include "tests/support/temp_folder.hpp"
#include "tools/notifyctl.hpp"

#include <algorithm>
#include <sstream>

namespace notify::ctl {
namespace {

using namespace test;

struct ctl_fixture : letter_store_fixture {
  struct outcome {
    int code = 0;
    std::string out;
    std::string err;
  };

  outcome run_ctl(std::vector<std::string> words) {
    words.insert(words.begin(), "dead-letters");
    words.push_back("--postgres=" + db.url());
    std::vector<const char*> raw;
    for (const auto& x : words)
      raw.push_back(x.c_str());
    std::ostringstream out;
    std::ostringstream err;
    auto code = run(raw, {out, err});
    return {code, out.str(), err.str()};
  }

  temp_folder folder;
  std::string routes_file = "--routes=" + folder.write("routes.json", R"({"routes":[
    {"event_type":"order.paid.v1","channel":"email","recipient":"email",
     "template":"order-paid.v1"}]})");
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE_METHOD(ctl_fixture, "dead letters are listed, newest first, filtered and paged") {
  auto tombstone = text_letter(2, "");
  tombstone.record.value = {};
  tombstone.info.reason = "tombstone";
  add({text_letter(1, "x"), tombstone, text_letter(3, "x")});
  auto all = run_ctl({"list"});
  CHECK(all.code == cli::success);
  CHECK(all.out.find("orders/3/1003") < all.out.find("orders/3/1001"));
  auto some = run_ctl({"list", "--reason=tombstone", "--json"});
  CHECK(contains(some.out, R"("id":"2")"));
  CHECK(std::count(some.out.begin(), some.out.end(), '\n') == 1);
  auto page = run_ctl({"list", "--before=3", "--limit=1", "--open", "--unpublished"});
  CHECK(contains(page.out, "orders/3/1002"));
  CHECK_FALSE(contains(page.out, "orders/3/1001"));
  CHECK_FALSE(contains(run_ctl({"list", "--to=2020-01-01"}).out, "orders"));
  CHECK(contains(run_ctl({"list", "--from=2020-01-01", "--topic=orders"}).out, "orders/3/1001"));
  CHECK(contains(run_ctl({"list", "--id=1"}).out, "orders/3/1001"));
}

TEST_CASE_METHOD(ctl_fixture, "a dead letter is shown without what a terminal would obey") {
  add({text_letter(1, "\x1b[2J"), text_letter(2, "{\"cut\":")});
  auto shown = run_ctl({"show", "1", "2"});
  CHECK(shown.code == cli::success);
  CHECK_FALSE(contains(shown.out, "\x1b"));
  CHECK(contains(shown.out, "not text: 1b5b324a"));
  CHECK(contains(shown.out, "{\"cut\":"));
  auto missing = run_ctl({"show", "9"});
  CHECK(missing.code == cli::not_found);
  CHECK(contains(missing.err, "no dead letter 9"));
}

TEST_CASE_METHOD(ctl_fixture, "Q-B32 the dead letter 1970670598291982290 survives list and show") {
  db.query("alter table notify.dead_letters alter column id restart with 1970670598291982290");
  add({text_letter(1, "x")});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"list", "--json"},
                                             {"list", "--id=1970670598291982290"},
                                             {"list", "--before=1970670598291982291"},
                                             {"show", "1970670598291982290"},
                                             {"show", "1970670598291982290", "--json"}}) {
    auto result = run_ctl(words);
    CHECK(result.code == cli::success);
    CHECK(contains(result.out, "1970670598291982290"));
  }
}

TEST_CASE_METHOD(ctl_fixture, "dead letters are replayed from the command line") {
  add({text_letter(1, envelope(1)), text_letter(2, "not json")});
  auto dry = run_ctl({"replay", "--all", "--dry-run", routes_file});
  CHECK(dry.code == cli::success);
  CHECK(contains(dry.out, "2 tried: 1 would be stored"));
  CHECK(db.value("select count(*) from notify.inbox_events") == "0");
  auto real = run_ctl({"replay", "--id=1,2", "--json", routes_file});
  CHECK(real.code == cli::success);
  CHECK(contains(real.out, R"("stored":1)"));
  CHECK(contains(real.out, R"("reasons":{"not_json":1})"));
  CHECK(db.value("select count(*) from notify.job_queue") == "1");
  auto missing = run_ctl({"replay", "--id=77", routes_file});
  CHECK(missing.code == cli::failed);
  CHECK(contains(missing.out, "1 do not exist"));
}

TEST_CASE_METHOD(ctl_fixture, "dead-letters explains itself with examples") {
  auto help = run_ctl({"--help"});
  CHECK(help.code == cli::success);
  CHECK(contains(help.out, "Usage: notifyctl dead-letters list"));
  CHECK(contains(help.out, "--dry-run"));
  CHECK(contains(help.out, "Examples:"));
  CHECK(help.err.empty());
}

TEST_CASE_METHOD(ctl_fixture, "wrong usage of dead-letters exits with 2 and says what is wrong") {
  CHECK(contains(run_ctl({"replay", routes_file}).err, "--all"));
  CHECK(run_ctl({"replay", routes_file}).code == cli::usage);
  CHECK(run_ctl({"show"}).code == cli::usage);
  CHECK(run_ctl({"show", "x"}).code == cli::usage);
  CHECK(run_ctl({"list", "--from=yesterday"}).code == cli::usage);
  CHECK(run_ctl({"delete"}).code == cli::usage);
  CHECK(run_ctl({"list", "--config=/does/not/exist"}).code == cli::usage);
  std::vector<const char*> words{"dead-letters", "list", "--postgres=postgresql://a:b@127.0.0.1/x"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run(words, {out, err}) == cli::usage);
  CHECK(contains(err.str(), "password"));
  words.back() = "--postgres=postgresql://a@127.0.0.1:1/x";
  CHECK(run(words, {out, err}) == cli::failed);
}

} // namespace
} // namespace notify::ctl

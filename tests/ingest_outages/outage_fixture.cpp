#include "tests/ingest_outages/outage_fixture.hpp"

#include "persistence/pg_ingest_store.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>

namespace notify::test {

using namespace std::chrono_literals;

outage_fixture::outage_fixture(int32_t partitions)
    : group_fixture(environment("NOTIFY_TEST_KAFKA"), partitions) {}

consumer_config outage_fixture::quick() const {
  auto result = config();
  result.session_timeout = 6s;
  result.max_poll_interval = 6s;
  result.drain_timeout = 1s;
  return result;
}

std::unique_ptr<group_member> outage_fixture::member(const std::string& name,
                                                     const consumer_config& config,
                                                     record_source_factory source,
                                                     const std::string& url) const {
  auto database = db.config();
  database.application_name = name;
  if (!url.empty())
    database.url = url;
  return std::make_unique<group_member>(
      config, [database] { return std::make_shared<pg_ingest_store>(database); },
      std::move(source));
}

std::map<int32_t, int64_t> outage_fixture::first_missing() {
  // The n-th offset of a partition is n exactly as long as none is missing before it.
  std::map<int32_t, int64_t> result;
  for (const auto& row : db.query(
           "with kept as (select partition, \"offset\" from notify.inbox_events"
           " union select partition, \"offset\" from notify.dead_letters)"
           " select partition, count(*) filter (where \"offset\" = n) from (select partition,"
           " \"offset\", row_number() over (partition by partition order by \"offset\") - 1 as n"
           " from kept) x group by 1"))
    result[std::stoi(row[0])] = std::stoll(row[1]);
  return result;
}

void outage_fixture::check_invariant() {
  auto promised = committed();
  auto kept = first_missing(); // Read later: it may only be further.
  for (const auto& [partition, offset] : promised) {
    INFO("partition " << partition);
    CHECK(offset <= kept[partition]);
  }
}

bool outage_fixture::reaches(const std::string& sql, const std::string& wanted) {
  return eventually([&] {
    check_invariant();
    return db.value(sql) == wanted;
  });
}

void outage_fixture::check_stored(size_t events) {
  CHECK(db.value(all_events) == std::to_string(events));
  CHECK(db.value(all_jobs) == std::to_string(events));
  CHECK(db.value(all_dead_letters) == "0");
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  for (const auto& word : more) {
    auto name = word.substr(0, word.find('=') + 1);
    std::erase_if(arguments, [&](const auto& x) { return x.starts_with(name); });
    arguments.push_back(word);
  }
  return arguments;
}

size_t count_of(const daemon& program, const std::string& text) {
  auto output = program.output();
  size_t result = 0;
  for (auto at = output.find(text); at != std::string::npos; at = output.find(text, at + 1))
    ++result;
  return result;
}

bool says(const daemon& program, const std::string& text, size_t times) {
  return eventually([&] { return count_of(program, text) >= times; });
}

health_report health_of(running_pipeline& pipeline) {
  auto answer = std::make_shared<std::promise<health_report>>();
  pipeline->health([answer](health_report x) { answer->set_value(std::move(x)); });
  return answer->get_future().get();
}

std::string reason_of(const health_report& report, const std::string& check) {
  for (const auto& x : report.checks)
    if (x.check == check)
      return x.ok ? std::string{} : x.reason;
  return "no such check";
}

actor_line actor_of(running_pipeline& pipeline, const std::string& name) {
  actor_line result;
  caf::scoped_actor self{pipeline.system()};
  self->request(pipeline->actors()->inspector(), 10s, get_actors{})
      .receive(
          [&](const actor_tree& tree) {
            auto i = std::find_if(tree.lines.begin(), tree.lines.end(),
                                  [&](const auto& x) { return x.status.name == name; });
            if (i != tree.lines.end())
              result = *i;
          },
          [](const caf::error&) {});
  return result;
}

} // namespace notify::test

#pragma once

#include "tests/integration/ingest/group_fixture.hpp"
#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <map>
#include <string>
#include <vector>

namespace notify::test {

/// A topic, a group and a database of their own on the shared servers; members are a consumer and
/// its writers on the real stores.
struct outage_fixture : group_fixture {
  explicit outage_fixture(int32_t partitions = 4);

  /// A member's settings with short limits.
  consumer_config quick() const;

  /// A member whose database sessions are called `name/...`, on this database by default.
  std::unique_ptr<group_member> member(const std::string& name, const consumer_config& config,
                                       record_source_factory source = {},
                                       const std::string& url = {}) const;

  /// First offset of each partition that is neither stored nor dead-lettered, by the tables.
  std::map<int32_t, int64_t> first_missing();

  /// What must hold at every instant: no committed offset is beyond that. Looks from outside, at
  /// the broker and at the tables.
  void check_invariant();

  /// Waits until the query's value is as wanted, with a look at the invariant all the time.
  bool reaches(const std::string& sql, const std::string& wanted);

  /// As many events as jobs, none refused.
  void check_stored(size_t events);

  postgres_fixture db;
};

constexpr auto all_events = "select count(*) from notify.inbox_events";
constexpr auto all_jobs = "select count(*) from notify.notification_jobs";
constexpr auto all_dead_letters = "select count(*) from notify.dead_letters";
constexpr auto all_attempts = "select count(*) from notify.delivery_attempts";
constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";

/// The arguments with these in place of those of the same name.
std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more);

/// How often a program's output has this text.
size_t count_of(const daemon& program, const std::string& text);

/// Waits until the program has written the text so often.
bool says(const daemon& program, const std::string& text, size_t times = 1);

/// What the service says about its health.
health_report health_of(running_pipeline& pipeline);

/// What a broken check says, empty if it is fine.
std::string reason_of(const health_report& report, const std::string& check);

/// The status that an actor gave last, by its name in the tree.
actor_line actor_of(running_pipeline& pipeline, const std::string& name);

} // namespace notify::test

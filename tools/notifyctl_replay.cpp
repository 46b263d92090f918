#include "actors/batch_isolation.hpp"
#include "actors/ingest_plan.hpp"
#include "actors/kafka/group_offsets.hpp"
#include "actors/kafka/range_reader.hpp"
#include "actors/routing.hpp"
#include "messages/error.hpp"
#include "persistence/audit_log.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"
#include "tools/notifyctl_settings.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <ostream>
#include <vector>

namespace notify::ctl {

namespace {

constexpr std::array replay_options = {
    config_option,
    brokers_option,
    timeout_option,
    topic_option,
    cli::option{"partition", "N", "only this one (default: all of the topic's)", ""},
    cli::option{"from", "PLACE", "earliest, an offset, or a time", ""},
    cli::option{"to", "PLACE", "the first that is not read: latest, an offset, or a time",
                "latest"},
    routes_option,
    cli::option{"batch", "N", "records of one transaction", "500"},
    postgres_option,
    actor_option,
    dry_run_option,
};

/// Of one run, or of its batches so far.
struct tally {
  uint64_t records = 0;
  uint64_t events = 0;
  uint64_t duplicates = 0;
  uint64_t jobs = 0;
  uint64_t dead_letters = 0;
  uint64_t refused = 0;
};

/// What a run needs.
struct run_state {
  cli::arguments from;
  std::chrono::seconds timeout;
  size_t batch = 0;
  routing_table routes;
  envelope_limits limits;
  cluster servers;
  std::string topic;
  kafka::group_offsets places; ///< Only asked about the topic; its group does not exist.
  postgres_config database;
  tally total;

  bool dry() const { return from.has("dry-run"); }
};

caf::expected<run_state> prepare(cli::arguments from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  auto batch = cli::number(from, "batch", 1, 100'000);
  if (!timeout || !batch)
    return !timeout ? std::move(timeout.error()) : std::move(batch.error());
  auto config = read_settings(from);
  if (!config)
    return std::move(config.error());
  const auto& service = (*config)->service();
  auto topic = event_topic(from, **config);
  if (!topic)
    return std::move(topic.error());
  auto routes = routing_table::load(service.routes_file);
  if (!routes)
    return std::move(routes.error());
  auto servers = cluster_of(**config);
  auto places = kafka::group_offsets::open(servers.brokers, "notifyctl-replay", servers.connection);
  if (!places)
    return std::move(places.error());
  return run_state{std::move(from),
                   std::chrono::seconds{*timeout},
                   static_cast<size_t>(*batch),
                   std::move(*routes),
                   service.ingest.limits,
                   std::move(servers),
                   std::move(*topic),
                   std::move(*places),
                   database_of(**config),
                   {}};
}

/// A place in every partition, as far as there are records.
caf::expected<std::map<int32_t, int64_t>>
resolve(run_state& x, const place& where, const std::map<int32_t, kafka::offset_range>& ranges) {
  if (where.what == place::kind::time)
    return x.places.at_time(x.topic, where.value, x.timeout);
  std::map<int32_t, int64_t> result;
  for (const auto& [partition, range] : ranges)
    result[partition] = where.what == place::kind::earliest ? range.first
                        : where.what == place::kind::latest
                            ? range.end
                            : std::clamp(where.value, range.first, range.end);
  return result;
}

/// Stores one batch, or only counts it.
caf::error handle(run_state& x, ingest_store& store, const std::vector<kafka_record>& records) {
  auto plan = plan_batch(records, x.routes, x.limits);
  // The ledger says how far the service is, and this is not the service.
  plan.batch.moves.clear();
  x.total.records += records.size();
  if (x.dry()) {
    x.total.events += plan.batch.events.size();
    x.total.duplicates += plan.duplicates;
    x.total.jobs += plan.batch.jobs.size();
    x.total.refused += plan.refused.size();
    return caf::none;
  }
  constexpr uint32_t tries = 3;
  auto report = store_with_retries(store, plan.batch);
  if (!report && report.error() == ec::storage_data && !plan.batch.events.empty())
    report = store_isolated(store, plan, records, tries, report.error());
  if (!report)
    return std::move(report.error());
  x.total.events += report->events;
  x.total.duplicates += report->duplicates + plan.duplicates;
  x.total.jobs += report->jobs;
  x.total.dead_letters += report->dead_letters;
  x.total.refused += plan.refused.size();
  return caf::none;
}

caf::error run_partition(run_state& x, ingest_store& store, int32_t partition, int64_t first,
                         int64_t end, streams io) {
  auto reader = kafka::range_reader::open(x.servers.brokers, x.topic, partition, first, end,
                                          x.servers.connection);
  if (!reader)
    return std::move(reader.error());
  std::vector<kafka_record> records;
  for (bool more = true; more;) {
    auto record = reader->next(x.timeout);
    if (!record)
      return std::move(record.error());
    more = record->has_value();
    if (more)
      records.push_back(std::move(**record));
    if (records.empty() || (more && records.size() < x.batch))
      continue;
    if (auto error = handle(x, store, records))
      return error;
    io.err << x.topic << ' ' << partition << ' ' << records.back().offset + 1 << " of " << end
           << '\n';
    records.clear();
  }
  return caf::none;
}

caf::error run_all(run_state& x, const place& from, const place& to, streams io) {
  auto ranges = x.places.ranges(x.topic, x.timeout);
  if (!ranges)
    return std::move(ranges.error());
  if (x.from.has("partition")) {
    auto id = cli::number(x.from, "partition", 0, std::numeric_limits<int32_t>::max());
    if (!id)
      return std::move(id.error());
    auto found = ranges->find(static_cast<int32_t>(*id));
    if (found == ranges->end())
      return caf::make_error(ec::invalid_config, std::string{"the topic has no such partition"});
    *ranges = {*found};
  }
  auto is_offset = from.what == place::kind::offset || to.what == place::kind::offset;
  if (is_offset && ranges->size() > 1)
    return caf::make_error(ec::invalid_config, std::string{"an offset needs --partition: it means "
                                                           "another record in each"});
  auto first = resolve(x, from, *ranges);
  auto end = resolve(x, to, *ranges);
  if (!first || !end)
    return !first ? std::move(first.error()) : std::move(end.error());
  pg_ingest_store store{x.database};
  for (const auto& [partition, range] : *ranges)
    if (auto error =
            run_partition(x, store, partition, first->at(partition), end->at(partition), io))
      return error;
  return caf::none;
}

/// Also if it ended with an error: what was stored until then is stored.
caf::error record(const run_state& x) {
  const auto& sum = x.total;
  boost::json::object details{{"from", x.from.at("from")},
                              {"to", x.from.at("to")},
                              {"partition", x.from.at("partition")},
                              {"records", sum.records},
                              {"events", sum.events},
                              {"duplicates", sum.duplicates},
                              {"jobs", sum.jobs},
                              {"dead_letters", sum.dead_letters}};
  session db{x.database, "replay", planner::free};
  auto done = db.run([&] {
    write_audit(db.sql(), {actor_name(x.from), "replay", x.topic, boost::json::serialize(details)});
    return true;
  });
  return done ? caf::error{} : std::move(done.error());
}

void print(const run_state& x, streams io) {
  const auto& sum = x.total;
  io.out << "records " << sum.records << '\n'
         << (x.dry() ? "valid " : "stored ") << sum.events << '\n'
         << "duplicates " << sum.duplicates << '\n'
         << "jobs " << sum.jobs << '\n'
         << "refused " << sum.refused << '\n';
}

int replay(const cli::arguments& given, streams io) {
  auto from = read_place(given, "from", false);
  auto to = read_place(given, "to", false);
  if (!from || !to)
    return usage_error(!from ? from.error() : to.error(), "replay", io);
  auto run = prepare(given);
  if (!run)
    return usage_error(run.error(), "replay", io);
  auto error = run_all(*run, *from, *to, io);
  print(*run, io);
  if (!run->dry() && run->total.records > 0)
    if (auto unrecorded = record(*run); unrecorded && !error)
      error = unrecorded;
  if (!error)
    return cli::success;
  io.err << "notifyctl replay: " << cli::message(error) << run->servers.suffix() << '\n';
  return cli::failed;
}

constexpr std::array<command, 1> commands = {{
    {"replay", "", "read a part of a topic again, through the inbox",
     R"(Reads as the service does: events that are stored already are duplicates and call for nothing, new
ones get their notifications, records that can never be processed become dead letters. No consumer
group is touched; the service may run. Routes and limits are those of --config.
)",
     R"(replay --config=/etc/notifyd/notifyd.ini --from=2026-09-01T16:00:00Z --dry-run
replay --routes=routes.json --partition=3 --from=1200000 --to=1250000
)",
     replay_options, replay},
}};

} // namespace

std::span<const command> replay_commands() {
  return commands;
}

} // namespace notify::ctl

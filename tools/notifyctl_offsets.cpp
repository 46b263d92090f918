#include "actors/kafka/range_reader.hpp"
#include "messages/error.hpp"
#include "messages/refusal_reason.hpp"
#include "persistence/partition_ledger.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tools/group_desk.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr std::array show_options = {config_option, brokers_option, timeout_option, group_option};

constexpr std::array reset_options = {
    config_option,
    brokers_option,
    timeout_option,
    group_option,
    topic_option,
    cli::option{"partition", "N", "only this one (default: all of the topic's)", ""},
    cli::option{"to", "PLACE", "earliest, latest, ledger, an offset, or a time", ""},
    postgres_option,
    actor_option,
    dry_run_option,
};

constexpr std::array skip_options = {
    config_option,
    brokers_option,
    timeout_option,
    group_option,
    topic_option,
    cli::option{"partition", "N", "the partition", ""},
    cli::option{"offset", "N", "the record to pass over; the group must stand there", ""},
    cli::option{"reason", "TEXT", "why, for the dead letter", "not told"},
    postgres_option,
    actor_option,
    dry_run_option,
};

/// The partition that is named, if one is.
caf::expected<std::optional<int32_t>> named_partition(const cli::arguments& from) {
  if (!from.has("partition"))
    return std::optional<int32_t>{};
  auto number = cli::number(from, "partition", 0, std::numeric_limits<int32_t>::max());
  if (!number)
    return std::move(number.error());
  return std::optional<int32_t>{static_cast<int32_t>(*number)};
}

// -- show ----------------------------------------------------------------------------------------

int show(group_desk& at, streams io) {
  auto committed = at.admin.committed(at.name, at.timeout);
  if (!committed)
    return failure(committed.error(), "offsets show", at.servers, io);
  std::map<std::string, std::map<int32_t, kafka::offset_range>> ranges;
  for (const auto& x : *committed) {
    auto& known = ranges[x.topic];
    if (known.empty()) {
      auto found = at.group.ranges(x.topic, at.timeout);
      if (!found)
        return failure(found.error(), "offsets show", at.servers, io);
      known = std::move(*found);
    }
    const auto& range = known[x.partition];
    io.out << x.topic << ' ' << x.partition << ' ' << x.offset << ' ' << range.end << ' '
           << range.end - x.offset << '\n';
  }
  return cli::success;
}

// -- reset ---------------------------------------------------------------------------------------

/// Where the database says that the service stood, if the records are still there.
caf::expected<offset_map> ledger_places(group_desk& at,
                                        const std::map<int32_t, kafka::offset_range>& ranges) {
  auto ledger = read_ledger(at.database);
  if (!ledger)
    return std::move(ledger.error());
  offset_map result;
  for (const auto& x : *ledger) {
    auto range = ranges.find(x.partition);
    if (x.topic != at.topic || range == ranges.end())
      continue;
    if (x.next_offset < range->second.first || x.next_offset > range->second.end)
      return refuse("the database's place in partition " + std::to_string(x.partition) + " is "
                    + std::to_string(x.next_offset) + ", but its records are "
                    + std::to_string(range->second.first) + " to "
                    + std::to_string(range->second.end));
    result[x.partition] = x.next_offset;
  }
  return result;
}

/// Where each partition would stand.
caf::expected<offset_map> targets(group_desk& at, const place& to) {
  const auto& topic = at.topic;
  auto ranges = at.group.ranges(topic, at.timeout);
  if (!ranges)
    return std::move(ranges.error());
  if (to.what == place::kind::time)
    return at.group.at_time(topic, to.value, at.timeout);
  if (to.what == place::kind::ledger)
    return ledger_places(at, *ranges);
  offset_map result;
  for (const auto& [partition, range] : *ranges)
    result[partition] = to.what == place::kind::earliest ? range.first
                        : to.what == place::kind::latest ? range.end
                                                         : to.value;
  return result;
}

/// Those of `all` that the command line means; an offset must be one that can be read.
caf::expected<offset_map> chosen(group_desk& at, offset_map all, const place& to) {
  auto partition = named_partition(at.from);
  if (!partition)
    return std::move(partition.error());
  if (*partition) {
    auto found = all.find(**partition);
    if (found == all.end())
      return refuse("there is no place for partition " + std::to_string(**partition));
    all = {*found};
  }
  if (to.what != place::kind::offset)
    return all;
  if (!*partition && all.size() > 1)
    return refuse("an offset needs --partition: it means another record in each");
  auto ranges = at.group.ranges(at.topic, at.timeout);
  if (!ranges)
    return std::move(ranges.error());
  const auto& range = ranges->at(all.begin()->first);
  if (to.value < range.first || to.value > range.end)
    return refuse("the records of this partition are " + std::to_string(range.first) + " to "
                  + std::to_string(range.end));
  return all;
}

int reset(group_desk& at, streams io) {
  constexpr auto name = "offsets reset";
  auto to = read_place(at.from, "to", true);
  if (!to)
    return usage_error(to.error(), name, io);
  if (auto error = at.require_no_members())
    return failure(error, name, at.servers, io);
  auto all = targets(at, *to);
  auto after = all ? chosen(at, std::move(*all), *to) : std::move(all);
  if (!after)
    return failure(after.error(), name, at.servers, io);
  const auto& topic = at.topic;
  auto before = at.committed();
  if (!before)
    return failure(before.error(), name, at.servers, io);
  print_moves(topic, *before, *after, io);
  if (at.from.has("dry-run"))
    return cli::success;
  audit_entry entry{actor_name(at.from), "offsets.reset", at.name,
                    details_of(topic, *before, *after, "rule", at.from.at("to"))};
  if (auto error = at.move_and_record(*after, entry))
    return failure(error, name, at.servers, io);
  return cli::success;
}

// -- skip ----------------------------------------------------------------------------------------

caf::expected<kafka_record> read_one(group_desk& at, int32_t partition, int64_t offset) {
  auto reader = kafka::range_reader::open(at.servers.brokers, at.topic, partition, offset,
                                          offset + 1, at.servers.connection);
  if (!reader)
    return std::move(reader.error());
  auto record = reader->next(at.timeout);
  if (!record)
    return std::move(record.error());
  if (!*record || (*record)->offset != offset)
    return refuse("there is no record at offset " + std::to_string(offset));
  return std::move(**record);
}

caf::error keep_as_dead_letter(group_desk& at, kafka_record record) {
  pg_ingest_store store{at.database};
  ingest_batch batch;
  batch.dead_letters.push_back({std::move(record),
                                to_string(refusal_reason::skipped),
                                "passed over by hand: " + at.from.at("reason"),
                                {}});
  auto stored = store.store(batch);
  return stored ? caf::error{} : stored.error();
}

int skip(group_desk& at, streams io) {
  constexpr auto name = "offsets skip";
  auto partition = cli::number(at.from, "partition", 0, std::numeric_limits<int32_t>::max());
  auto offset = cli::number(at.from, "offset", 0, std::numeric_limits<int64_t>::max() - 1);
  if (!partition || !offset)
    return usage_error(!partition ? partition.error() : offset.error(), name, io);
  auto id = static_cast<int32_t>(*partition);
  if (auto error = at.require_no_members())
    return failure(error, name, at.servers, io);
  const auto& topic = at.topic;
  auto before = at.committed();
  if (!before)
    return failure(before.error(), name, at.servers, io);
  auto stands = before->find(id);
  // Anything else would pass over other records as well, or read some again.
  if (stands == before->end() || stands->second != *offset)
    return failure(refuse("the group stands at "
                          + (stands == before->end() ? std::string{"no offset"}
                                                     : std::to_string(stands->second))
                          + ", not at " + std::to_string(*offset)),
                   name, at.servers, io);
  auto record = read_one(at, id, *offset);
  if (!record)
    return failure(record.error(), name, at.servers, io);
  offset_map after{{id, *offset + 1}};
  print_moves(topic, *before, after, io);
  if (at.from.has("dry-run"))
    return cli::success;
  // Kept first: a record that is passed over twice is one dead letter, one that is lost is lost.
  auto error = keep_as_dead_letter(at, std::move(*record));
  if (!error)
    error = at.move_and_record(after,
                               {actor_name(at.from), "offsets.skip", at.name,
                                details_of(topic, *before, after, "reason", at.from.at("reason"))});
  return error ? failure(error, name, at.servers, io) : cli::success;
}

int at_desk(const cli::arguments& from, std::string_view path, streams io,
            int (*act)(group_desk&, streams)) {
  auto at = group_desk::open(from);
  return at ? act(*at, io) : give_up(at.error(), path, io);
}

constexpr std::array<command, 3> commands = {{
    {"offsets show", "", "show where a consumer group stands and how far it is behind",
     R"(One line per partition: topic, partition, offset of the next record to read, end of the partition,
records in between.
)",
     "offsets\noffsets show --config=/etc/notifyd/notifyd.ini\n", show_options,
     [](const cli::arguments& from, streams io) {
       return at_desk(from, "offsets show", io, show);
     }},
    {"offsets reset", "", "move a group that has no members",
     R"(PLACE is earliest, latest, an offset, a time (the first record that is not older than
2026-09-01T16:00:00Z), or ledger: where the database says that the service stood. Refused while the
group has members; prints the old offsets first, and leaves a row in notify.audit_log.
)",
     R"(offsets reset --to=ledger --dry-run
offsets reset --to=2026-09-01T16:00:00Z --partition=3
)",
     reset_options,
     [](const cli::arguments& from, streams io) {
       return at_desk(from, "offsets reset", io, reset);
     }},
    {"offsets skip", "", "pass over one record, which becomes a dead letter",
     R"(The record is kept as a dead letter with the reason "skipped". Refused while the group has members;
prints the old offset first, and leaves a row in notify.audit_log.
)",
     "offsets skip --partition=3 --offset=1234567 --reason=\"broken by the July release\"\n",
     skip_options,
     [](const cli::arguments& from, streams io) {
       return at_desk(from, "offsets skip", io, skip);
     }},
}};

} // namespace

std::span<const command> offsets_commands() {
  return commands;
}

} // namespace notify::ctl

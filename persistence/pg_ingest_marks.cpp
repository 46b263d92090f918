#include "persistence/pg_ingest_marks.hpp"

#include "persistence/pg_array.hpp"

#include <algorithm>
#include <tuple>

namespace notify {

namespace {

// One row for each partition; none of the offsets can be negative. A lock on one number shows in
// two halves. Whoever has it is at work: that is one attempt that nobody died of.
constexpr auto history_query = R"(
select p.topic, p.partition, coalesce(l.next_offset, 0), coalesce(s.first_offset, -1),
  coalesce(s.next_offset, -1),
  coalesce(s.attempts, 0) - exists (select 1 from pg_locks k where k.locktype = 'advisory'
    and k.database = (select oid from pg_database where datname = current_database())
    and k.objsubid = 1 and k.granted
    and (k.classid::bigint << 32) | k.objid::bigint = s.holder)::int,
  s.holder
from unnest(:topics::text[], :partitions::int[]) as p(topic, partition)
left join notify.partition_ledger l on l.topic = p.topic and l.partition = p.partition
left join notify.ingest_suspects s on s.topic = p.topic and s.partition = p.partition
)";

constexpr auto condemned_query = R"(
select d.topic, d.partition, d."offset", d.timestamp_ms
from unnest(:topics::text[], :partitions::int[]) as p(topic, partition)
join notify.dead_letters d on d.topic = p.topic and d.partition = p.partition
  and d.reason = 'crashed_repeatedly'
)";

// Lock order: by topic and partition, as the arrays are sorted.
constexpr auto write_query = R"(
insert into notify.ingest_suspects as s
  (topic, partition, first_offset, next_offset, attempts, holder)
select m.topic, m.partition, m.first_offset, m.next_offset, m.attempts, :key::bigint
from unnest(:topics::text[], :partitions::int[], :firsts::bigint[], :nexts::bigint[],
    :attempts::int[])
  as m(topic, partition, first_offset, next_offset, attempts)
on conflict (topic, partition) do update set
  first_offset = excluded.first_offset, next_offset = excluded.next_offset,
  attempts = excluded.attempts, holder = excluded.holder, instance = excluded.instance,
  marked_at = now()
)";

constexpr auto delete_query = R"(
delete from notify.ingest_suspects s
using unnest(:topics::text[], :partitions::int[], :firsts::bigint[], :nexts::bigint[],
    :holders::bigint[])
  as m(topic, partition, first_offset, next_offset, holder)
where s.topic = m.topic and s.partition = m.partition and s.first_offset = m.first_offset
  and s.next_offset = m.next_offset
  and (s.holder = :key::bigint or s.holder is not distinct from m.holder)
)";

struct mark_arrays {
  pg_array topics, partitions, firsts, nexts, attempts, holders;

  explicit mark_arrays(std::vector<ingest_mark> marks) {
    auto key = [](const ingest_mark& x) { return std::tie(x.topic, x.partition); };
    std::sort(marks.begin(), marks.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (const auto& x : marks) {
      topics.add_text(x.topic);
      partitions.add_int(x.partition);
      firsts.add_int(x.first_offset);
      nexts.add_int(x.next_offset);
      attempts.add_int(x.attempts);
      if (x.holder)
        holders.add_int(*x.holder);
      else
        holders.add_null();
    }
  }
};

} // namespace

// None of these is prepared: they are run when a writer is new, or when something is wrong.

void life_lock::hold(long long key) {
  if (held_)
    return;
  int got = 0;
  sql_ << "select pg_try_advisory_lock(:key)::int", soci::use(key, "key"), soci::into(got);
  held_ = got == 1;
}

std::vector<partition_history> read_history(session& db,
                                            const std::vector<partition_key>& partitions) {
  pg_array topics, numbers;
  for (const auto& [topic, partition] : partitions) {
    topics.add_text(topic);
    numbers.add_int(partition);
  }
  soci::rowset<soci::row> rows =
      (db.sql().prepare << history_query, soci::use(topics.text(), "topics"),
       soci::use(numbers.text(), "partitions"));
  std::vector<partition_history> result;
  for (const auto& row : rows) {
    partition_history x;
    x.where = {row.get<std::string>(0), row.get<int>(1)};
    x.stored_to = row.get<long long>(2);
    if (auto deaths = row.get<int>(5); deaths > 0) {
      x.mark = ingest_mark{x.where.first, x.where.second, row.get<long long>(3),
                           row.get<long long>(4), static_cast<uint32_t>(deaths)};
      if (row.get_indicator(6) != soci::i_null)
        x.mark->holder = row.get<long long>(6);
    }
    result.push_back(std::move(x));
  }
  soci::rowset<soci::row> condemned =
      (db.sql().prepare << condemned_query, soci::use(topics.text(), "topics"),
       soci::use(numbers.text(), "partitions"));
  for (const auto& row : condemned) {
    partition_key where{row.get<std::string>(0), row.get<int>(1)};
    auto found =
        std::find_if(result.begin(), result.end(), [&](const auto& x) { return x.where == where; });
    if (found != result.end())
      found->condemned.emplace_back(row.get<long long>(2), row.get<long long>(3));
  }
  return result;
}

void write_marks(session& db, const std::vector<ingest_mark>& marks, long long key) {
  db.prepared<life_lock>().hold(key);
  mark_arrays x{marks};
  db.sql() << write_query, soci::use(x.topics.text(), "topics"),
      soci::use(x.partitions.text(), "partitions"), soci::use(x.firsts.text(), "firsts"),
      soci::use(x.nexts.text(), "nexts"), soci::use(x.attempts.text(), "attempts"),
      soci::use(key, "key");
}

void delete_marks(session& db, const std::vector<ingest_mark>& marks, long long key) {
  // A new connection in the place of one that broke: the marks at hand are still this life's.
  db.prepared<life_lock>().hold(key);
  mark_arrays x{marks};
  db.sql() << delete_query, soci::use(x.topics.text(), "topics"),
      soci::use(x.partitions.text(), "partitions"), soci::use(x.firsts.text(), "firsts"),
      soci::use(x.nexts.text(), "nexts"), soci::use(x.holders.text(), "holders"),
      soci::use(key, "key");
}

void release_life(session& db, long long key) {
  db.sql() << "select pg_advisory_unlock(:key)", soci::use(key, "key");
}

} // namespace notify

#include "persistence/ingest_ledger.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace notify {

namespace {

constexpr auto move_ledger = R"(
insert into notify.partition_ledger as l (topic, partition, first_offset, next_offset,
  batch_records, total_records, instance)
select m.topic, m.partition, m.first_offset, m.next_offset, m.records, m.records,
  current_setting('application_name')
from unnest(:topics::text[], :partitions::int[], :firsts::bigint[], :nexts::bigint[],
    :records::bigint[])
  as m(topic, partition, first_offset, next_offset, records)
on conflict (topic, partition) do update set
  first_offset = excluded.first_offset, next_offset = excluded.next_offset,
  batch_records = excluded.batch_records,
  total_records = l.total_records + excluded.batch_records,
  rewinds = l.rewinds + (excluded.first_offset < l.next_offset)::int,
  gaps = l.gaps + (excluded.first_offset > l.next_offset)::int,
  instance = excluded.instance, moved_at = now()
)";

constexpr auto count_records = R"(
insert into notify.inbox_totals as t (shard, stored, duplicates, dead_lettered)
values (pg_backend_pid() % 16, :stored, :duplicates, :dead_lettered)
on conflict (shard) do update set stored = t.stored + excluded.stored,
  duplicates = t.duplicates + excluded.duplicates,
  dead_lettered = t.dead_lettered + excluded.dead_lettered
)";

} // namespace

ledger_statement::ledger_statement(soci::session& sql)
    : statement((sql.prepare << move_ledger, soci::use(topics.text(), "topics"),
                 soci::use(partitions.text(), "partitions"), soci::use(firsts.text(), "firsts"),
                 soci::use(nexts.text(), "nexts"), soci::use(records.text(), "records"))) {}

void ledger_statement::fill(const std::vector<ledger_move>& moves) {
  for (auto* array : {&topics, &partitions, &firsts, &nexts, &records})
    array->clear();
  std::map<std::pair<std::string, int32_t>, ledger_move> merged;
  for (auto& x : moves) {
    auto [entry, fresh] = merged.emplace(std::pair{x.topic, x.partition}, x);
    if (fresh)
      continue;
    auto& sum = entry->second;
    sum.first_offset = std::min(sum.first_offset, x.first_offset);
    sum.next_offset = std::max(sum.next_offset, x.next_offset);
    sum.records += x.records;
  }
  for (auto& [key, x] : merged) {
    topics.add_text(x.topic);
    partitions.add_int(x.partition);
    firsts.add_int(x.first_offset);
    nexts.add_int(x.next_offset);
    records.add_int(static_cast<int64_t>(x.records));
  }
}

totals_statement::totals_statement(soci::session& sql)
    : statement((sql.prepare << count_records, soci::use(stored, "stored"),
                 soci::use(duplicates, "duplicates"), soci::use(dead_lettered, "dead_lettered"))) {}

void totals_statement::fill(const ingest_batch& batch, const ingest_report& report) {
  stored = static_cast<long long>(batch.earlier.events + report.events);
  duplicates =
      static_cast<long long>(batch.earlier.duplicates + report.duplicates + batch.repeated);
  // One that comes again is the same dead letter, but another record.
  dead_lettered = static_cast<long long>(batch.dead_letters.size());
}

} // namespace notify

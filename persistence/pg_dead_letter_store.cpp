#include "persistence/pg_dead_letter_store.hpp"

#include "messages/hex.hpp"
#include "persistence/pg_array.hpp"

#include <chrono>
#include <stdexcept>
#include <string_view>

namespace notify {

namespace {

constexpr auto anything_unpublished = R"(
select count(*) from (select 1 from notify.dead_letters where published_at is null limit 1) as one
)";

// Its end counts by the database's clock. Whoever stalled for longer than a lease may publish at
// the same time as the next one: a letter is then in the topic twice, under one id.
constexpr auto take_relay_lease = R"(
with taken as (
  insert into notify.relay_leases as l (relay, owner, lease_until)
  values ('dead-letters', :owner::uuid, now() + :lease_us::bigint * interval '1 microsecond')
  on conflict (relay) do update set owner = excluded.owner, lease_until = excluded.lease_until
    where l.owner = excluded.owner or l.lease_until < now()
  returning 1)
select count(*) from taken
)";

constexpr auto release_relay_lease = R"(
delete from notify.relay_leases where relay = 'dead-letters' and owner = :owner::uuid
)";

constexpr auto mark_letters = R"(
with marked as (
  update notify.dead_letters d set published_at = now(), publish_note = p.note
  from unnest(:ids::bigint[], :notes::text[]) as p(id, note)
  where d.id = p.id and d.published_at is null
  returning 1)
select count(*) from marked
)";

// What may be null comes as text or as a number that cannot be one.
const std::string info_columns = R"(
d.id, d.topic, d.partition::bigint, d."offset", d.timestamp_ms, d.reason, d.detail,
coalesce(d.event_id::text, ''), d.attempts::bigint,
(extract(epoch from d.first_failed_at) * 1000000)::bigint,
(extract(epoch from d.last_failed_at) * 1000000)::bigint,
coalesce((extract(epoch from d.published_at) * 1000000)::bigint, -1),
coalesce(d.publish_note, ''), d.replays::bigint,
coalesce((extract(epoch from d.replayed_at) * 1000000)::bigint, -1),
coalesce(d.replay_result, ''), coalesce(octet_length(d.key), -1)::bigint,
coalesce(octet_length(d.value), -1)::bigint, cardinality(d.header_names)::bigint)";

constexpr size_t info_size = 19;

// Each element begins with an x, a null one is a dash: an empty element is not a missing one.
const std::string record_columns = R"(,
coalesce('x' || encode(d.key, 'hex'), '-'), coalesce('x' || encode(d.value, 'hex'), '-'),
(select coalesce(string_agg('x' || encode(h.name, 'hex'), ',' order by h.place), '')
  from unnest(d.header_names) with ordinality as h(name, place)),
(select coalesce(string_agg(coalesce('x' || encode(h.value, 'hex'), '-'), ',' order by h.place), '')
  from unnest(d.header_values) with ordinality as h(value, place)))";

// The sum counts sizes only; bytes are read for the rows that are returned.
const std::string unpublished_letters = "select " + info_columns + record_columns + R"(
from (
  select u.*, row_number() over (order by u.id) as place,
    sum(coalesce(octet_length(u.key), 0) + coalesce(octet_length(u.value), 0)) over (order by u.id)
      as bytes
  from (
    select * from notify.dead_letters where published_at is null and id > :after
    order by id limit :letters) as u) as d
where d.place = 1 or d.bytes <= :bytes
order by d.id
)";

const std::string letters_by_id = R"(
from unnest(:ids::bigint[]) as wanted(id) join notify.dead_letters d on d.id = wanted.id
order by d.id
)";

const std::string filtered_letters = R"(
from (select :reason::text as reason, :topic::text as topic, :from_us::bigint as from_us,
    :to_us::bigint as to_us, :published::int as published, :replayed::int as replayed) as f,
  notify.dead_letters d
where d.id > :after and d.id < :before
  and (f.reason = '' or d.reason = f.reason) and (f.topic = '' or d.topic = f.topic)
  and (f.from_us < 0 or d.first_failed_at >= to_timestamp(0) + f.from_us * interval '1 microsecond')
  and (f.to_us < 0 or d.first_failed_at < to_timestamp(0) + f.to_us * interval '1 microsecond')
  and (f.published < 0 or (d.published_at is not null) = (f.published = 1))
  and (f.replayed < 0 or (d.replayed_at is not null) = (f.replayed = 1))
)";

std::string from_hex(std::string_view text) {
  std::string result;
  result.reserve(text.size() / 2);
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    result += static_cast<char>(hex_value(text[i]) * 16 + hex_value(text[i + 1]));
  return result;
}

nullable_bytes to_bytes(std::string_view text) {
  if (text.starts_with('x'))
    return {true, from_hex(text.substr(1))};
  return {};
}

std::vector<nullable_bytes> to_list(std::string_view text) {
  std::vector<nullable_bytes> result;
  while (!text.empty()) {
    auto comma = text.find(',');
    result.push_back(to_bytes(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return result;
}

std::optional<int64_t> to_optional(long long x) {
  return x < 0 ? std::nullopt : std::optional<int64_t>{x};
}

letter_info to_info(const soci::row& row) {
  auto number = [&](size_t i) { return row.get<long long>(i); };
  auto text = [&](size_t i) { return row.get<std::string>(i); };
  letter_info x;
  x.id = number(0);
  x.topic = text(1);
  x.partition = static_cast<int32_t>(number(2));
  x.offset = number(3);
  x.timestamp_ms = number(4);
  x.reason = text(5);
  x.detail = text(6);
  x.event_id = uuid::parse(text(7));
  x.attempts = static_cast<int32_t>(number(8));
  x.first_failed_us = number(9);
  x.last_failed_us = number(10);
  x.published_us = to_optional(number(11));
  x.publish_note = text(12);
  x.replays = static_cast<int32_t>(number(13));
  x.replayed_us = to_optional(number(14));
  x.replay_result = text(15);
  x.key_bytes = to_optional(number(16));
  x.value_bytes = to_optional(number(17));
  x.headers = static_cast<int32_t>(number(18));
  return x;
}

stored_letter to_letter(const soci::row& row) {
  stored_letter x;
  x.info = to_info(row);
  x.record.topic = x.info.topic;
  x.record.partition = x.info.partition;
  x.record.offset = x.info.offset;
  x.record.timestamp_ms = x.info.timestamp_ms;
  x.record.key = to_bytes(row.get<std::string>(info_size));
  x.record.value = to_bytes(row.get<std::string>(info_size + 1));
  auto names = to_list(row.get<std::string>(info_size + 2));
  auto values = to_list(row.get<std::string>(info_size + 3));
  if (names.size() != values.size())
    throw std::logic_error{"a dead letter has other headers than header names"};
  for (size_t i = 0; i < names.size(); ++i)
    x.record.headers.push_back({std::move(names[i].bytes), std::move(values[i])});
  return x;
}

template <class T>
std::vector<T> all(soci::rowset<soci::row>& rows, T (*convert)(const soci::row&)) {
  std::vector<T> result;
  for (const auto& row : rows)
    result.push_back(convert(row));
  return result;
}

pg_array array_of(const std::vector<int64_t>& ids) {
  pg_array result;
  for (auto id : ids)
    result.add_int(id);
  return result;
}

int to_number(const std::optional<bool>& x) {
  return x ? static_cast<int>(*x) : -1;
}

} // namespace

pg_dead_letter_store::pg_dead_letter_store(const postgres_config& config, const std::string& role,
                                           const uuid& owner)
    : session_(config, role), owner_(to_string(owner)) {}

bool pg_dead_letter_store::take_lease(caf::timespan lease) {
  long long lease_us = std::chrono::duration_cast<std::chrono::microseconds>(lease).count();
  int taken = 0;
  session_.sql() << take_relay_lease, soci::use(owner_, "owner"), soci::use(lease_us, "lease_us"),
      soci::into(taken);
  return taken > 0;
}

caf::expected<letter_batch> pg_dead_letter_store::next_unpublished(int64_t after_id,
                                                                   letter_batch_size size,
                                                                   caf::timespan lease) {
  return session_.run([&]() -> letter_batch {
    // Looking costs nothing, a lease costs a write.
    int waiting = 0;
    session_.sql() << anything_unpublished, soci::into(waiting);
    if (waiting == 0)
      return {};
    if (!take_lease(lease))
      return {true, {}};
    // A statement of its own: it must see what the lease's last holder marked.
    long long after = after_id;
    long long letters = size.letters;
    auto bytes = static_cast<long long>(size.bytes);
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << unpublished_letters, soci::use(after, "after"),
         soci::use(letters, "letters"), soci::use(bytes, "bytes"));
    return {false, all(rows, to_letter)};
  });
}

caf::expected<uint64_t>
pg_dead_letter_store::mark_published(const std::vector<published_letter>& letters) {
  if (letters.empty())
    return uint64_t{0};
  return session_.run([&] {
    pg_array ids, notes;
    for (const auto& x : letters) {
      ids.add_int(x.id);
      notes.add_text_or_null(x.note);
    }
    long long marked = 0;
    session_.sql() << mark_letters, soci::use(ids.text(), "ids"), soci::use(notes.text(), "notes"),
        soci::into(marked);
    return static_cast<uint64_t>(marked);
  });
}

caf::error pg_dead_letter_store::release() {
  auto done = session_.run([&] {
    session_.sql() << release_relay_lease, soci::use(owner_, "owner");
    return true;
  });
  return done ? caf::error{} : done.error();
}

caf::expected<std::vector<letter_info>> pg_dead_letter_store::list(const letter_filter& filter,
                                                                   const letter_page& page) {
  return session_.run([&] {
    const auto& reason = without_nul(filter.reason);
    const auto& topic = without_nul(filter.topic);
    long long from_us = filter.from_us.value_or(-1);
    long long to_us = filter.to_us.value_or(-1);
    int published = to_number(filter.published);
    int replayed = to_number(filter.replayed);
    long long after = page.after_id;
    long long before = page.before_id;
    long long limit = page.limit;
    auto query = "select " + info_columns + filtered_letters + "order by d.id "
                 + (page.newest_first ? "desc" : "asc") + " limit :limit";
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << query, soci::use(reason, "reason"), soci::use(topic, "topic"),
         soci::use(from_us, "from_us"), soci::use(to_us, "to_us"),
         soci::use(published, "published"), soci::use(replayed, "replayed"),
         soci::use(after, "after"), soci::use(before, "before"), soci::use(limit, "limit"));
    return all(rows, to_info);
  });
}

caf::expected<std::vector<letter_info>>
pg_dead_letter_store::find(const std::vector<int64_t>& ids) {
  return session_.run([&] {
    auto wanted = array_of(ids);
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select " + info_columns + letters_by_id,
         soci::use(wanted.text(), "ids"));
    return all(rows, to_info);
  });
}

caf::expected<std::vector<stored_letter>>
pg_dead_letter_store::load(const std::vector<int64_t>& ids) {
  return session_.run([&] {
    auto wanted = array_of(ids);
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select " + info_columns + record_columns + letters_by_id,
         soci::use(wanted.text(), "ids"));
    return all(rows, to_letter);
  });
}

caf::expected<int64_t> pg_dead_letter_store::last_id() {
  return session_.run([&] {
    long long id = 0;
    session_.sql() << "select coalesce((select id from notify.dead_letters order by id desc "
                      "limit 1), 0)",
        soci::into(id);
    return static_cast<int64_t>(id);
  });
}

} // namespace notify

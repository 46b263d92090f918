#include "persistence/pg_claim_store.hpp"

#include "persistence/pg_array.hpp"

#include <algorithm>
#include <stdexcept>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr auto full_claim_every = 3s;

uuid parse_uuid(const std::string& text) {
  auto result = uuid::parse(text);
  if (!result)
    throw std::logic_error{"the database returned a malformed uuid"};
  return *result;
}

long long microseconds(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

// The database counts further than a timespan can.
caf::timespan saturated(long long us) {
  constexpr auto limit =
      std::chrono::duration_cast<std::chrono::microseconds>(caf::timespan::max());
  if (us >= limit.count())
    return caf::timespan::max();
  if (us <= -limit.count())
    return caf::timespan::min();
  return std::chrono::microseconds{us};
}

struct claim_statement {
  std::string channel, floor, owner;
  long long limit = 0, lease_us = 0;
  std::vector<long long> lease_id, lease_size, attempt_no, failures, reclaims, unknowns,
      first_unknown_age_us, expires_in_us, key_no, age_us, occurred_at_us;
  std::vector<std::string> next_floor, job_id, recipient, template_key, locale, event_id,
      event_type, frozen_hash, suppressed, correlation_id, traceparent, payload;
  soci::statement statement;

  claim_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(channel, "channel"), soci::use(floor, "floor"),
                   soci::use(limit, "limit"), soci::use(owner, "owner"),
                   soci::use(lease_us, "lease_us"), soci::into(lease_id), soci::into(lease_size),
                   soci::into(next_floor), soci::into(job_id), soci::into(attempt_no),
                   soci::into(recipient), soci::into(template_key), soci::into(locale),
                   soci::into(event_id), soci::into(event_type), soci::into(failures),
                   soci::into(reclaims), soci::into(unknowns), soci::into(first_unknown_age_us),
                   soci::into(frozen_hash), soci::into(expires_in_us), soci::into(key_no),
                   soci::into(age_us), soci::into(suppressed), soci::into(occurred_at_us),
                   soci::into(correlation_id), soci::into(traceparent), soci::into(payload))) {}

  void resize(size_t size) {
    for (auto* x : {&lease_id, &lease_size, &attempt_no, &failures, &reclaims, &unknowns,
                    &first_unknown_age_us, &expires_in_us, &key_no, &age_us, &occurred_at_us})
      x->resize(size);
    for (auto* x :
         {&next_floor, &job_id, &recipient, &template_key, &locale, &event_id, &event_type,
          &frozen_hash, &suppressed, &correlation_id, &traceparent, &payload})
      x->resize(size);
  }

  /// Takes row `i` out of the vectors.
  delivery_job take(size_t i) {
    delivery_job result;
    result.job_id = parse_uuid(job_id[i]);
    result.attempt_no = static_cast<int32_t>(attempt_no[i]);
    result.lease_id = lease_id[i];
    result.lease_size = static_cast<uint32_t>(lease_size[i]);
    result.channel = channel;
    result.recipient = std::move(recipient[i]);
    result.template_key = std::move(template_key[i]);
    result.locale = std::move(locale[i]);
    result.event_id = parse_uuid(event_id[i]);
    result.event_type = std::move(event_type[i]);
    result.occurred_at_us = occurred_at_us[i];
    result.correlation_id = std::move(correlation_id[i]);
    result.traceparent = std::move(traceparent[i]);
    result.payload = std::move(payload[i]);
    result.failures = static_cast<int32_t>(failures[i]);
    result.reclaims = static_cast<int32_t>(reclaims[i]);
    result.unknowns = static_cast<int32_t>(unknowns[i]);
    result.first_unknown_age = saturated(std::max(first_unknown_age_us[i], 0LL));
    result.frozen_hash = std::move(frozen_hash[i]);
    result.expires_in = saturated(expires_in_us[i]);
    result.key_no = static_cast<int32_t>(key_no[i]);
    result.age = saturated(std::max(age_us[i], 0LL));
    result.suppressed = std::move(suppressed[i]);
    return result;
  }
};

struct heartbeat_statement {
  pg_array ids;
  std::string owner;
  long long lease_us = 0;
  std::vector<long long> renewed;
  soci::statement statement;

  heartbeat_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(ids.text(), "ids"), soci::use(owner, "owner"),
                   soci::use(lease_us, "lease_us"), soci::into(renewed))) {}
};

struct release_statement {
  pg_array lease_ids, job_ids, attempt_nos, job_lease_ids;
  std::string owner;
  long long released = 0;
  soci::statement statement;

  release_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(lease_ids.text(), "lease_ids"),
                   soci::use(owner, "owner"), soci::use(job_ids.text(), "job_ids"),
                   soci::use(attempt_nos.text(), "attempt_nos"),
                   soci::use(job_lease_ids.text(), "job_lease_ids"), soci::into(released))) {}
};

struct reserve_statement {
  std::string channel;
  long long span_us = 0, wait_us = 0;
  soci::statement statement;

  reserve_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(channel, "channel"),
                   soci::use(span_us, "span_us"), soci::into(wait_us))) {}
};

} // namespace

pg_claim_store::pg_claim_store(const postgres_config& config, const uuid& owner,
                               delivery_statements statements)
    : session_(config, "claim"), owner_(to_string(owner)), statements_(std::move(statements)) {}

std::vector<delivery_job> pg_claim_store::claim_once(const std::string& channel, uint32_t limit,
                                                     caf::timespan lease) {
  auto& floor = floors_[channel];
  auto now = std::chrono::steady_clock::now();
  auto full = floor.time == "-infinity" || now - floor.last_full >= full_claim_every;
  auto& x = session_.prepared<claim_statement>(statements_.claim_jobs);
  x.channel = without_nul(channel);
  x.floor = full ? "-infinity" : floor.time;
  x.owner = owner_;
  x.limit = limit;
  x.lease_us = microseconds(lease);
  x.resize(limit);
  std::vector<delivery_job> jobs;
  if (x.statement.execute(true)) {
    jobs.reserve(x.job_id.size());
    for (size_t i = 0; i < x.job_id.size(); ++i)
      jobs.push_back(x.take(i));
    floor.time = x.next_floor.front();
  }
  if (full)
    floor.last_full = now;
  return jobs;
}

caf::expected<std::vector<delivery_job>>
pg_claim_store::claim(const std::string& channel, uint32_t limit, caf::timespan lease) {
  if (limit == 0)
    return std::vector<delivery_job>{};
  return session_.run([&] { return claim_once(channel, limit, lease); });
}

caf::expected<std::vector<int64_t>> pg_claim_store::heartbeat(const std::vector<int64_t>& lease_ids,
                                                              caf::timespan lease) {
  if (lease_ids.empty())
    return std::vector<int64_t>{};
  return session_.run([&] {
    auto& x = session_.prepared<heartbeat_statement>(statements_.renew_leases);
    x.ids.clear();
    for (auto id : lease_ids)
      x.ids.add_int(id);
    x.owner = owner_;
    x.lease_us = microseconds(lease);
    x.renewed.resize(lease_ids.size());
    if (!x.statement.execute(true))
      return std::vector<int64_t>{};
    return std::vector<int64_t>(x.renewed.begin(), x.renewed.end());
  });
}

caf::expected<uint64_t> pg_claim_store::release(const std::vector<attempt_ref>& unstarted) {
  if (unstarted.empty())
    return uint64_t{0};
  return session_.run([&] {
    auto& x = session_.prepared<release_statement>(statements_.release_jobs);
    for (auto* array : {&x.lease_ids, &x.job_ids, &x.attempt_nos, &x.job_lease_ids})
      array->clear();
    for (auto& ref : unstarted) {
      x.lease_ids.add_int(ref.lease_id);
      x.job_ids.add_uuid(ref.job_id);
      x.attempt_nos.add_int(ref.attempt_no);
      x.job_lease_ids.add_int(ref.lease_id);
    }
    x.owner = owner_;
    x.statement.execute(true);
    return static_cast<uint64_t>(x.released);
  });
}

caf::expected<caf::timespan> pg_claim_store::reserve_sends(const std::string& channel,
                                                           uint32_t count, caf::timespan interval) {
  if (count == 0 || interval.count() <= 0)
    return caf::timespan{0};
  return session_.run([&] {
    auto& x = session_.prepared<reserve_statement>(statements_.reserve_sends);
    x.channel = without_nul(channel);
    // Rounded up: moments a little too far apart never exceed the rate.
    auto span = std::min(interval, caf::timespan::max() / count) * count;
    x.span_us = std::chrono::ceil<std::chrono::microseconds>(span).count();
    x.statement.execute(true);
    return saturated(x.wait_us);
  });
}

caf::expected<bool> pg_claim_store::set_paused(const std::string& channel, bool paused,
                                               const std::string& by) {
  return session_.run([&] {
    // Refused before SOCI begins with a query: it would run what was bound so far.
    const auto& name = without_nul(channel);
    const auto& asker = without_nul(by);
    auto& sql = session_.sql();
    int changed = 0;
    if (paused)
      sql << statements_.pause_channel, soci::use(name, "channel"), soci::use(asker, "by"),
          soci::into(changed);
    else
      sql << statements_.resume_channel, soci::use(name, "channel"), soci::into(changed);
    return changed > 0;
  });
}

} // namespace notify

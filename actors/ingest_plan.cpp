#include "actors/ingest_plan.hpp"

#include "messages/error.hpp"

#include <caf/message.hpp>

#include <algorithm>

namespace notify {

namespace {

refusal to_refusal(const caf::error& err, const uuid& id) {
  const auto& context = err.context();
  if (context.match_elements<std::string, std::string>())
    if (auto reason = parse_refusal_reason(context.get_as<std::string>(0)))
      return {*reason, context.get_as<std::string>(1), id};
  return {refusal_reason::routing_failed, render(err), id};
}

void refuse(ingest_plan& plan, const kafka_record& record, refusal x,
            const std::string& correlation_id) {
  auto reason = to_string(x.reason);
  plan.refused.push_back({record.topic, record.partition, record.offset, reason, x.detail,
                          x.event_id ? to_string(*x.event_id) : std::string{}, correlation_id});
  plan.batch.dead_letters.push_back({record, std::move(reason), std::move(x.detail), x.event_id});
}

class planner {
public:
  planner(const routing_table& routes, const envelope_limits& limits)
      : routes_(routes), limits_(limits) {}

  void add(const kafka_record& record) {
    auto before = plan_.refused.size();
    auto read = read_envelope(record, limits_);
    if (auto* valid = std::get_if<valid_event>(&read))
      add_event(record, *valid);
    else
      refuse(plan_, record, std::get<refusal>(std::move(read)), {});
    plan_.verdicts.push_back(plan_.refused.size() > before);
  }

  ingest_plan finish() { return std::move(plan_); }

private:
  void add_event(const kafka_record& record, valid_event& x) {
    auto [i, is_new] = seen_.try_emplace(x.data.event_id, plan_.batch.events.size());
    if (!is_new) {
      ++plan_.duplicates;
      if (plan_.batch.events[i->second].payload_sha256 != x.data.payload_sha256)
        plan_.conflicts.push_back(x.data.event_id);
      return;
    }
    auto jobs = routes_.jobs_for(x.data, x.payload);
    if (!jobs) {
      // A refused event is not stored, so a later one with its id may still be.
      seen_.erase(i);
      refuse(plan_, record, to_refusal(jobs.error(), x.data.event_id), x.data.correlation_id);
      return;
    }
    if (jobs->empty())
      ++plan_.unrouted;
    std::move(jobs->begin(), jobs->end(), std::back_inserter(plan_.batch.jobs));
    plan_.batch.events.push_back(std::move(x.data));
  }

  const routing_table& routes_;
  const envelope_limits& limits_;
  ingest_plan plan_;
  std::unordered_map<uuid, size_t> seen_; ///< Event id to its place in the batch.
};

} // namespace

std::vector<ledger_move> moves_of(std::span<const kafka_record> records) {
  std::vector<ledger_move> moves;
  for (const auto& record : records) {
    auto same = [&](const ledger_move& x) {
      return x.partition == record.partition && x.topic == record.topic;
    };
    // Records of one partition follow each other, so the last one is it nearly always.
    auto i = std::find_if(moves.rbegin(), moves.rend(), same);
    if (i == moves.rend()) {
      moves.push_back({record.topic, record.partition, record.offset, record.offset + 1, 1});
      continue;
    }
    i->next_offset = record.offset + 1;
    ++i->records;
  }
  return moves;
}

ingest_plan plan_batch(std::span<const kafka_record> records, const routing_table& routes,
                       const envelope_limits& limits) {
  planner work{routes, limits};
  for (const auto& x : records)
    work.add(x);
  auto result = work.finish();
  result.batch.moves = moves_of(records);
  return result;
}

ingest_plan plan_refusal(const kafka_record& record, refusal_reason reason, std::string detail) {
  ingest_plan result;
  refuse(result, record, {reason, std::move(detail), std::nullopt}, {});
  result.batch.moves = moves_of({&record, 1});
  return result;
}

dead_letter make_refused_letter(std::span<const kafka_record> records, const event& x,
                                refusal_reason reason, std::string detail) {
  dead_letter result{{}, to_string(reason), std::move(detail), x.event_id};
  auto i = std::find_if(records.begin(), records.end(), [&](const auto& record) {
    return record.offset == x.offset && record.partition == x.partition && record.topic == x.topic;
  });
  if (i != records.end())
    result.record = *i;
  return result;
}

} // namespace notify

#include "actors/ingest_plan.hpp"

#include "messages/error.hpp"

#include <caf/message.hpp>

#include <algorithm>

namespace notify {

namespace {

class planner {
public:
  planner(const routing_table& routes, const envelope_limits& limits)
      : routes_(routes), limits_(limits) {}

  void add(const kafka_record& record) {
    move_on(record);
    auto read = read_envelope(record, limits_);
    if (auto* valid = std::get_if<valid_event>(&read))
      add_event(record, *valid);
    else
      refuse(record, std::get<refusal>(std::move(read)), {});
  }

  ingest_plan finish() { return std::move(plan_); }

private:
  void move_on(const kafka_record& record) {
    auto& moves = plan_.batch.moves;
    auto same = [&](const ledger_move& x) {
      return x.partition == record.partition && x.topic == record.topic;
    };
    // Records of one partition follow each other, so the last one is it nearly always.
    auto i = std::find_if(moves.rbegin(), moves.rend(), same);
    if (i == moves.rend()) {
      moves.push_back({record.topic, record.partition, record.offset, record.offset + 1, 1});
      return;
    }
    i->next_offset = record.offset + 1;
    ++i->records;
  }

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
      refuse(record, to_refusal(jobs.error(), x.data.event_id), x.data.correlation_id);
      return;
    }
    if (jobs->empty())
      ++plan_.unrouted;
    std::move(jobs->begin(), jobs->end(), std::back_inserter(plan_.batch.jobs));
    plan_.batch.events.push_back(std::move(x.data));
  }

  static refusal to_refusal(const caf::error& err, const uuid& id) {
    const auto& context = err.context();
    if (context.match_elements<std::string, std::string>())
      return {context.get_as<std::string>(0), context.get_as<std::string>(1), id};
    return {to_string(ec::invalid_event), render(err), id};
  }

  void refuse(const kafka_record& record, refusal x, const std::string& correlation_id) {
    plan_.refused.push_back({record.topic, record.partition, record.offset, x.reason, x.detail,
                             x.event_id ? to_string(*x.event_id) : std::string{}, correlation_id});
    plan_.batch.dead_letters.push_back(
        {record, std::move(x.reason), std::move(x.detail), x.event_id});
  }

  const routing_table& routes_;
  const envelope_limits& limits_;
  ingest_plan plan_;
  std::unordered_map<uuid, size_t> seen_; ///< Event id to its place in the batch.
};

} // namespace

ingest_plan plan_batch(const std::vector<kafka_record>& records, const routing_table& routes,
                       const envelope_limits& limits) {
  planner result{routes, limits};
  for (const auto& x : records)
    result.add(x);
  return result.finish();
}

dead_letter make_refused_letter(const std::vector<kafka_record>& records, const event& x,
                                std::string reason, std::string detail) {
  dead_letter result{{}, std::move(reason), std::move(detail), x.event_id};
  auto i = std::find_if(records.begin(), records.end(), [&](const auto& record) {
    return record.offset == x.offset && record.partition == x.partition && record.topic == x.topic;
  });
  if (i != records.end())
    result.record = *i;
  return result;
}

} // namespace notify

#include "actors/batch_trace.hpp"

#include "actors/ingest_plan.hpp"
#include "actors/record_headers.hpp"
#include "messages/error.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

/// Adds a link unless it is empty, known, or one too many.
void add_link(span& out, std::string link) {
  if (link.empty() || out.links.size() >= tracer::max_links
      || std::find(out.links.begin(), out.links.end(), link) != out.links.end())
    return;
  out.links.push_back(std::move(link));
}

/// The sampled traces that records came with; what is not valid is as good as absent.
std::vector<std::string> links_of(std::span<const kafka_record> records) {
  span gathered;
  for (const auto& x : records) {
    const auto* header = find_header(x, "traceparent");
    if (header == nullptr)
      continue;
    auto context = read_context(*header);
    if (context.sampled)
      add_link(gathered, traceparent_of(context.trace_id, context.span_id, true));
    if (gathered.links.size() == tracer::max_links)
      break;
  }
  return std::move(gathered.links);
}

/// Both ends of a hand-over find the same place, without a word in the message between them.
trace_context place_of(const tracer& trace, uint64_t batch, const kafka_record& first,
                       bool has_links) {
  auto result =
      trace.of_work("batch " + std::to_string(batch) + " " + first.topic + "/"
                    + std::to_string(first.partition) + "/" + std::to_string(first.offset));
  result.sampled = result.sampled || has_links;
  return result;
}

} // namespace

std::optional<span> begin_consume(const tracer& trace, uint64_t batch,
                                  std::span<const kafka_record> records) {
  if (!trace || records.empty())
    return std::nullopt;
  auto links = links_of(records);
  auto place = place_of(trace, batch, records.front(), !links.empty());
  auto own_id = std::exchange(place.span_id, {});
  auto result = trace.begin("consume", place);
  if (result) {
    result->span_id = std::move(own_id);
    result->links = std::move(links);
    result->attributes["records"] = std::to_string(records.size());
    result->attributes["topic"] = records.front().topic;
  }
  return result;
}

std::optional<span> begin_ingest(const tracer& trace, uint64_t batch,
                                 std::span<const kafka_record> records) {
  if (!trace || records.empty())
    return std::nullopt;
  auto result =
      trace.begin("ingest", place_of(trace, batch, records.front(), !links_of(records).empty()));
  if (result)
    result->attributes["records"] = std::to_string(records.size());
  return result;
}

void add_links(const tracer& trace, const ingest_plan& plan, span& out) {
  for (const auto& x : plan.batch.events) {
    if (out.links.size() == tracer::max_links)
      return;
    add_link(out, trace.link_to(x.event_id, x.traceparent));
  }
}

void trace_claim(const tracer& trace, const std::string& channel, int64_t start_us,
                 const std::vector<delivery_job>& jobs) {
  if (!trace || jobs.empty())
    return;
  span gathered;
  for (const auto& x : jobs) {
    add_link(gathered, trace.link_to(x.event_id, x.traceparent));
    if (gathered.links.size() == tracer::max_links)
      break;
  }
  auto place = trace.of_work("claim " + to_string(uuid::random()));
  place.span_id.clear();
  place.sampled = !gathered.links.empty();
  if (auto result = trace.begin("claim", place)) {
    result->start_us = start_us;
    result->links = std::move(gathered.links);
    result->attributes["channel"] = channel;
    result->attributes["jobs"] = std::to_string(jobs.size());
    result->attributes["lease_id"] = std::to_string(jobs.front().lease_id);
    trace.end(std::move(*result));
  }
}

void trace_failed_claim(const tracer& trace, const std::string& channel, int64_t start_us,
                        const caf::error& reason) {
  if (!trace)
    return;
  auto place = trace.of_work("claim " + to_string(uuid::random()));
  place.span_id.clear();
  if (auto result = trace.begin("claim", place)) {
    result->start_us = start_us;
    result->failure = render(reason);
    result->attributes["channel"] = channel;
    trace.end(std::move(*result));
  }
}

} // namespace notify

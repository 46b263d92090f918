#include "actors/tracer.hpp"

#include "actors/sha256.hpp"
#include "actors/traceparent.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace notify {

namespace {

constexpr size_t trace_digits = 32;
constexpr size_t span_digits = 16;

/// Two ids out of one hash.
struct derived_ids {
  std::string trace_id;
  std::string span_id;
};

derived_ids derive(std::string_view kind, std::string_view key) {
  auto hex = to_hex(sha256_of_parts({kind, key}));
  return {hex.substr(0, trace_digits), hex.substr(trace_digits, span_digits)};
}

derived_ids ids_of_event(const uuid& event_id) {
  return derive("notifyd event", to_string(event_id));
}

} // namespace

struct tracer::core {
  double ratio = 1;
  directory_ptr dir;
  std::shared_ptr<span_budget> budget;
  std::string seed = to_string(uuid::random()); ///< Tells this process's work from others'.
};

tracer::tracer(const tracing_config& config, directory_ptr dir) {
  if (config.endpoint.empty())
    return;
  auto made = std::make_shared<core>();
  made->ratio = config.sample_ratio;
  made->dir = std::move(dir);
  made->budget = std::make_shared<span_budget>(config.queue);
  core_ = std::move(made);
}

bool tracer::by_ratio(const std::string& trace_id) const {
  // The last 56 bits are the ones that W3C wants to be random, so that all who decide by a ratio
  // decide alike.
  constexpr size_t digits = 14;
  auto tail = std::stoull(trace_id.substr(trace_digits - digits), nullptr, 16);
  return static_cast<double>(tail) < core_->ratio * std::ldexp(1.0, 56);
}

trace_context tracer::of_event(const uuid& event_id, const std::string& traceparent) const {
  if (core_ == nullptr)
    return {};
  if (auto known = read_context(traceparent); !known.trace_id.empty())
    return known;
  trace_context result;
  result.trace_id = ids_of_event(event_id).trace_id;
  result.sampled = by_ratio(result.trace_id);
  return result;
}

std::string tracer::link_to(const uuid& event_id, const std::string& traceparent) const {
  auto context = of_event(event_id, traceparent);
  if (!context.sampled)
    return {};
  if (context.span_id.empty())
    context.span_id = ids_of_event(event_id).span_id;
  return traceparent_of(context.trace_id, context.span_id, true);
}

trace_context tracer::of_work(std::string_view key) const {
  if (core_ == nullptr)
    return {};
  auto ids = derive(core_->seed, key);
  auto sampled = by_ratio(ids.trace_id);
  return {std::move(ids.trace_id), std::move(ids.span_id), sampled};
}

std::optional<span> tracer::begin(const char* name, const trace_context& parent) const {
  if (core_ == nullptr || !parent.sampled)
    return std::nullopt;
  span result;
  result.trace_id = parent.trace_id;
  result.span_id = fresh_span_id();
  result.parent_id = parent.span_id;
  result.name = name;
  result.start_us = now_us();
  return result;
}

void tracer::end(span x) const {
  if (core_ == nullptr || !core_->budget->take())
    return;
  x.end_us = std::max(x.start_us, now_us());
  if (auto exporter = core_->dir->trace_exporter()) {
    caf::anon_send(exporter, spans_ended{{std::move(x)}});
    return;
  }
  core_->budget->give_back(1);
  core_->budget->dropped(1);
}

const std::shared_ptr<span_budget>& tracer::budget() const {
  static const std::shared_ptr<span_budget> none;
  return core_ == nullptr ? none : core_->budget;
}

int64_t tracer::now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string traceparent_of(const std::string& trace_id, const std::string& span_id, bool sampled) {
  return "00-" + trace_id + "-" + span_id + (sampled ? "-01" : "-00");
}

trace_context read_context(const std::string& traceparent) {
  auto valid = read_traceparent(traceparent);
  if (valid.empty())
    return {};
  auto sampled = std::string_view{"13579bdf"}.find(valid.back()) != std::string_view::npos;
  return {valid.substr(3, trace_digits), valid.substr(36, span_digits), sampled};
}

std::string fresh_span_id() {
  // The variant's bits keep it from being zero.
  char text[span_digits + 1];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(uuid::random().low));
  return text;
}

} // namespace notify

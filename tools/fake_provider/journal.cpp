#include "tools/fake_provider/journal.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace notify::fake {

namespace json = boost::json;

namespace {

constexpr size_t most_records = 100'000;

int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string rfc3339(int64_t ms) {
  auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm x{};
  gmtime_r(&seconds, &x);
  std::array<char, 32> day{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &x);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%s.%03dZ", day.data(), static_cast<int>(ms % 1000));
  return text.data();
}

} // namespace

record& journal::begin(record x) {
  auto& sum = tallies_[{x.via, x.key, x.recipient}];
  sum.via = x.via;
  sum.key = x.key;
  sum.recipient = x.recipient;
  x.id = ++last_id_;
  x.time_ms = now_ms();
  x.attempt = ++sum.requests;
  x.state = "open";
  ++requests_;
  records_.push_back(std::move(x));
  if (records_.size() > most_records)
    records_.pop_front();
  return records_.back();
}

record* journal::find(uint64_t id) {
  if (records_.empty() || id < records_.front().id || id > records_.back().id)
    return nullptr;
  return &records_[id - records_.front().id];
}

void journal::accept(uint64_t id) {
  auto* x = find(id);
  if (x == nullptr || x->accepted)
    return;
  x->accepted = true;
  ++accepted_;
  ++tallies_[{x->via, x->key, x->recipient}].accepted;
}

void journal::clear() {
  // Ids go on: a request that is still open must not find another one under its own.
  records_.clear();
  tallies_.clear();
  requests_ = 0;
  accepted_ = 0;
}

std::vector<tally> journal::tallies() const {
  std::vector<tally> result;
  result.reserve(tallies_.size());
  for (const auto& [key, x] : tallies_)
    result.push_back(x);
  return result;
}

json::object to_json(const record& x) {
  json::object result;
  result["id"] = x.id;
  result["time"] = rfc3339(x.time_ms);
  result["protocol"] = to_string(x.via);
  result["recipient"] = x.recipient;
  if (!x.path.empty())
    result["path"] = x.path;
  result["key"] = x.key;
  result["attempt"] = x.attempt;
  result["body_sha256"] = x.body_hash;
  result["body_bytes"] = x.body_bytes;
  result["accepted"] = x.accepted;
  result["replayed"] = x.replayed;
  result["state"] = x.state;
  if (x.answered != 0)
    result["answered"] = x.answered;
  if (!x.problem.empty())
    result["problem"] = x.problem;
  return result;
}

json::object to_json(const tally& x) {
  json::object result;
  result["protocol"] = to_string(x.via);
  result["key"] = x.key;
  result["recipient"] = x.recipient;
  result["requests"] = x.requests;
  result["accepted"] = x.accepted;
  return result;
}

} // namespace notify::fake

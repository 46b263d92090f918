#include "actors/kafka/admin.hpp"
#include "actors/kafka/group_offsets.hpp"
#include "messages/error.hpp"
#include "tools/doctor.hpp"
#include "tools/notifyctl_settings.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace notify::doctor {

namespace {

/// Room for the headers that a dead letter gets on top of the record.
constexpr int64_t header_room = 64 << 10;

using ctl::cluster;
using topic_map = std::map<std::string, int32_t>;

/// What the checks of one cluster share.
struct visit {
  const service_config& config;
  kafka::admin& client;
  caf::timespan timeout;
  findings& out;
};

std::string create_hint(const std::string& topic) {
  return "notifyctl topics create --config=FILE " + topic;
}

void examine_event_topic(const visit& x, const topic_map& topics, const std::string& name) {
  if (name.starts_with('^'))
    return; // An expression: whatever matches now or later.
  auto check = "topic " + name;
  auto found = topics.find(name);
  if (found == topics.end())
    x.out.push_back({verdict::failure, check, "does not exist, or may not be seen",
                     create_hint("--partitions=4 " + name)});
  else
    x.out.push_back({verdict::ok, check, std::to_string(found->second) + " partitions", {}});
}

void examine_letter_topic(const visit& x, const topic_map& topics) {
  const auto& name = x.config.dead_letters.topic;
  auto check = "topic " + name;
  if (name.empty()) {
    x.out.push_back({verdict::ok, "dead letters", "are kept in the database only", {}});
    return;
  }
  auto wanted = static_cast<int64_t>(x.config.ingest.limits.max_value_bytes) + header_room;
  auto hint =
      create_hint("--topic-config=max.message.bytes=" + std::to_string(wanted) + " " + name);
  if (!topics.contains(name)) {
    x.out.push_back({verdict::failure, check, "does not exist, or may not be seen", hint});
    return;
  }
  auto text = x.client.topic_setting(name, "max.message.bytes", x.timeout);
  if (!text) {
    x.out.push_back({verdict::warning, check,
                     "its max.message.bytes is not known: " + render(text.error()),
                     "let this user describe the topic's settings"});
    return;
  }
  int64_t limit = 0;
  std::from_chars(text->data(), text->data() + text->size(), limit);
  if (limit < wanted)
    x.out.push_back(
        {verdict::warning, check,
         "max.message.bytes is " + *text
             + ": the largest dead letters are published without their bytes",
         "set it to " + std::to_string(wanted) + ", ingest.max-value-bytes and room for headers"});
  else
    x.out.push_back({verdict::ok, check, "takes " + *text + " bytes", {}});
}

/// Where the group stands compared with what the partitions still have.
void examine_offsets(const visit& x, kafka::group_offsets& group) {
  auto committed = x.client.committed(x.config.kafka.group, x.timeout);
  if (!committed) {
    x.out.push_back({verdict::warning, "offsets", render(committed.error()),
                     "let this user describe the group"});
    return;
  }
  int64_t behind = 0;
  std::map<std::string, std::map<int32_t, kafka::offset_range>> known;
  for (const auto& place : *committed) {
    auto& ranges = known[place.topic];
    if (ranges.empty())
      if (auto found = group.ranges(place.topic, x.timeout))
        ranges = std::move(*found);
    auto range = ranges.find(place.partition);
    if (range == ranges.end())
      continue;
    behind += std::max<int64_t>(range->second.end - place.offset, 0);
    if (place.offset < range->second.first || place.offset > range->second.end)
      x.out.push_back({verdict::failure, "offsets",
                       place.topic + "/" + std::to_string(place.partition) + " stands at "
                           + std::to_string(place.offset) + ", but the records are "
                           + std::to_string(range->second.first) + " to "
                           + std::to_string(range->second.end),
                       "notifyctl offsets reset; see docs/operations.md"});
  }
  if (committed->empty() && x.config.kafka.first_start == "error"
      && x.config.kafka.offset_reset == "error")
    x.out.push_back({verdict::warning, "offsets",
                     "none is committed: at a first start every partition waits for a decision",
                     "start once with --kafka.first-start=earliest"});
  else
    x.out.push_back({verdict::ok, "offsets", std::to_string(behind) + " records behind", {}});
}

void examine_group(const visit& x, const cluster& servers) {
  const auto& name = x.config.kafka.group;
  auto check = "group " + name;
  auto group = kafka::group_offsets::open(servers.brokers, name, servers.connection);
  caf::expected<kafka::group_state> state{caf::error{}};
  if (group)
    state = group->describe(x.timeout);
  else
    state = std::move(group.error());
  if (!state) {
    x.out.push_back(
        {verdict::warning, check, render(state.error()), "let this user describe the group"});
    return;
  }
  auto text = state->state.empty()
                  ? "does not exist yet"
                  : state->state + ", " + std::to_string(state->members) + " members";
  auto moving = state->state == "PreparingRebalance" || state->state == "CompletingRebalance";
  x.out.push_back(
      {moving ? verdict::warning : verdict::ok, check, text,
       moving ? "look again in a minute; if it goes on, a member joins again and again" : ""});
  examine_offsets(x, *group);
}

} // namespace

void examine_kafka(const settings& config, std::chrono::seconds timeout, findings& out) {
  auto servers = ctl::cluster_of(config);
  auto client = kafka::admin::create(servers.brokers, "notifyctl", servers.connection);
  caf::expected<topic_map> topics{caf::error{}};
  if (client)
    topics = client->topics(timeout);
  else
    topics = std::move(client.error());
  if (!topics) {
    out.push_back({verdict::failure, "kafka", render(topics.error()) + servers.suffix(),
                   "start the brokers, or repair kafka.brokers, kafka.properties or the password"});
    return;
  }
  out.push_back({verdict::ok, "kafka", "a broker answers" + servers.suffix(), {}});
  visit x{config.service(), *client, timeout, out};
  for (const auto& name : config.service().kafka.topics)
    examine_event_topic(x, *topics, name);
  examine_letter_topic(x, *topics);
  examine_group(x, servers);
}

} // namespace notify::doctor

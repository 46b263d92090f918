#include "actors/kafka/consumer_conf.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace notify::kafka {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view assignors = "partition.assignment.strategy";

/// Properties with an option of their own, which thereby is the only place to look for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> options = {{
    {"bootstrap.servers", "kafka.brokers"},
    {"metadata.broker.list", "kafka.brokers"},
    {"group.id", "kafka.group"},
    {"client.id", "kafka.client-id"},
    {"group.instance.id", "kafka.instance-id"},
    {"auto.offset.reset", "kafka.offset-reset"},
    {"session.timeout.ms", "kafka.session-timeout"},
    {"max.poll.interval.ms", "kafka.max-poll-interval"},
    {"auto.commit.interval.ms", "kafka.commit-interval"},
}};

/// Properties that decide whether an event can get lost.
constexpr std::array<std::string_view, 5> fixed = {
    "enable.auto.commit", "auto.commit.enable", "enable.auto.offset.store", "enable.partition.eof",
    "topic.enable.auto.commit"};

caf::error refuse(const std::string& option, const std::string& why) {
  return caf::make_error(ec::invalid_config, option, why);
}

std::string millis(caf::timespan x) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(x).count());
}

bool has_blank(const std::vector<std::string>& xs) {
  return xs.empty() || std::any_of(xs.begin(), xs.end(), [](auto& x) { return x.empty(); });
}

/// What brokers accept; they compare it with the rule for names of topics.
bool is_instance_id(std::string_view x) {
  constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return x.size() < 250 && x != "." && x != ".."
         && x.find_first_not_of(allowed) == std::string_view::npos;
}

caf::error check_options(const consumer_config& config) {
  if (has_blank(config.brokers))
    return refuse("kafka.brokers", "at least one host:port is needed, none may be empty");
  if (has_blank(config.topics))
    return refuse("kafka.topics", "at least one topic is needed, none may be empty");
  if (config.group.empty())
    return refuse("kafka.group", "must not be empty");
  if (!is_instance_id(config.instance_id))
    return refuse("kafka.instance-id",
                  "may have up to 249 letters, digits and . _ - only, and must "
                  "not be . or ..");
  for (const auto& [option, rule] : {std::pair{"kafka.offset-reset", config.offset_reset},
                                     std::pair{"kafka.first-start", config.first_start}})
    if (rule != "error" && rule != "earliest" && rule != "latest")
      return refuse(option, "must be error, earliest or latest, not '" + rule + "'");
  if (config.session_timeout < 1ms || config.max_poll_interval < config.session_timeout)
    return refuse("kafka.max-poll-interval", "must not be below kafka.session-timeout");
  if (config.batch_records == 0 || config.buffer_records < config.batch_records)
    return refuse("kafka.buffer-records", "must not be below kafka.batch-records");
  return caf::none;
}

caf::error check_property(const std::string& name, const std::string& value) {
  auto option = "kafka.properties: " + name;
  for (const auto& [property, ours] : options)
    if (name == property)
      return refuse(option, "is set by the option " + std::string{ours});
  if (std::find(fixed.begin(), fixed.end(), name) != fixed.end())
    return refuse(option, "is fixed: offsets are committed only after the database commit");
  if (name == assignors && value.find("cooperative") != std::string::npos)
    return refuse(option, "cooperative assignors can lose the assignment when offsets are "
                          "committed by hand; use range or roundrobin");
  return caf::none;
}

} // namespace

caf::expected<properties> consumer_properties(const consumer_config& config) {
  if (auto err = check_options(config))
    return err;
  // Those that an operator may change come first.
  properties result = {
      {std::string{assignors}, "range,roundrobin"},
      {"heartbeat.interval.ms", millis(std::min<caf::timespan>(3s, config.session_timeout / 3))},
      {"isolation.level", "read_committed"},
      // A second's worth: with a full queue librdkafka 2.0.2 looks again only after up to a second.
      {"queued.min.messages", "100000"},
      {"queued.max.messages.kbytes", "65536"},
      {"fetch.wait.max.ms", "100"},
      {"check.crcs", "true"},
      {"socket.nagle.disable", "true"},
      {"socket.keepalive.enable", "true"},
      {"log.connection.close", "false"},
      {"statistics.interval.ms", "5000"},
  };
  for (const auto& [name, value] : config.properties) {
    if (auto err = check_property(name, value))
      return err;
    result[name] = value;
  }
  result["bootstrap.servers"] = join_brokers(config.brokers);
  result["group.id"] = config.group;
  result["client.id"] = config.client_id;
  const auto& name = config.instance_id.empty() ? config.life : config.instance_id;
  if (!name.empty())
    result["group.instance.id"] = name;
  result["enable.auto.commit"] = "false";
  result["enable.auto.offset.store"] = "false";
  result["enable.partition.eof"] = "true";
  result["auto.offset.reset"] = config.offset_reset;
  result["session.timeout.ms"] = millis(config.session_timeout);
  result["max.poll.interval.ms"] = millis(config.max_poll_interval);
  return result;
}

} // namespace notify::kafka

#include "actors/kafka/conf.hpp"
#include "actors/kafka/consumer_conf.hpp"
#include "http/client/http_url.hpp"
#include "messages/error.hpp"
#include "tools/secrets.hpp"
#include "tools/settings.hpp"
#include "tools/value_text.hpp"

#include <arpa/inet.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// What a lease must outlive a channel's deadline by: the result has to be recorded in it.
constexpr caf::timespan lease_margin = 5s;

/// Less would delete under the hands of workers and people.
constexpr caf::timespan shortest_history = 1h;

using problem_list = std::vector<std::string>;

void check_delivery(const setting_values& values, problem_list& out) {
  const auto& x = values.service.delivery;
  if (x.heartbeat_interval >= x.lease / 2)
    out.push_back("delivery.heartbeat-interval (" + duration_text(x.heartbeat_interval)
                  + ") must be less than half of delivery.lease (" + duration_text(x.lease) + ")");
  bool active = false;
  for (const auto& [name, channel] : values.service.channels) {
    if (channel.provider.empty())
      continue;
    active = true;
    if (x.lease <= channel.deadline + lease_margin)
      out.push_back("delivery.lease (" + duration_text(x.lease) + ") must exceed channel-" + name
                    + ".deadline (" + duration_text(channel.deadline) + ") by more than "
                    + duration_text(lease_margin));
    if (channel.breaker.first_wait > channel.breaker.max_wait)
      out.push_back("channel-" + name + ".breaker-wait ("
                    + duration_text(channel.breaker.first_wait) + ") must not exceed channel-"
                    + name + ".breaker-max-wait (" + duration_text(channel.breaker.max_wait) + ")");
    const auto& delays = channel.retry.delays;
    if (!delays.empty() && delays.front().count() != 0)
      out.push_back("channel-" + name + ".retry-delays must begin with 0s, not "
                    + duration_text(delays.front()));
    if (channel.provider == "smtp" && channel.slots > channel.smtp.max_connections)
      out.push_back("channel-" + name + ".slots (" + std::to_string(channel.slots)
                    + ") must not exceed channel-" + name + ".smtp-max-connections ("
                    + std::to_string(channel.smtp.max_connections)
                    + "): mails would wait for a connection with their time running");
    if (channel.provider == "smtp" && channel.smtp.from_address.find('@') == std::string::npos)
      out.push_back("channel-" + name + ".smtp-from-address must be a mail address, not "
                    + quoted_text(channel.smtp.from_address));
  }
  if (values.service.roles.deliver && !active)
    out.push_back("service.run-deliver needs a channel with a provider, e.g. "
                  "channel-email.provider");
}

void check_kafka(const consumer_config& x, problem_list& out) {
  if (x.max_poll_interval < x.session_timeout)
    out.push_back("kafka.max-poll-interval (" + duration_text(x.max_poll_interval)
                  + ") must not be below kafka.session-timeout (" + duration_text(x.session_timeout)
                  + ")");
  if (x.drain_timeout >= x.max_poll_interval)
    out.push_back("kafka.drain-timeout (" + duration_text(x.drain_timeout)
                  + ") must be below kafka.max-poll-interval (" + duration_text(x.max_poll_interval)
                  + ")");
  if (x.buffer_records < x.batch_records)
    out.push_back("kafka.buffer-records (" + std::to_string(x.buffer_records)
                  + ") must not be below kafka.batch-records (" + std::to_string(x.batch_records)
                  + ")");
  for (const auto& problem : check_kafka_properties(x.properties))
    out.push_back(problem);
}

void check_retention(const retention_times& x, problem_list& out) {
  if (x.inbox.count() != 0 && x.inbox < x.topic + dedup_margin)
    out.push_back("retention.inbox (" + duration_text(x.inbox)
                  + ") must be 0s or exceed retention.topic (" + duration_text(x.topic)
                  + ") by at least " + duration_text(dedup_margin)
                  + ": a copy of an event that was forgotten would be sent again");
  auto check = [&](const std::string& name, caf::timespan kept) {
    if (kept.count() != 0 && kept < shortest_history)
      out.push_back("retention." + name + " (" + duration_text(kept) + ") must be 0s or at least "
                    + duration_text(shortest_history));
  };
  check("jobs", x.jobs);
  check("dead-jobs", x.dead_jobs);
  check("dead-letters", x.dead_letters);
}

/// How librdkafka reads a subscription: a name that begins with ^ is a POSIX expression.
bool subscribes_to(const std::string& subscription, const std::string& topic) {
  if (!subscription.starts_with('^'))
    return subscription == topic;
  regex_t expression{};
  if (regcomp(&expression, subscription.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return false; // The consumer refuses it.
  auto matches = regexec(&expression, topic.c_str(), 0, nullptr, 0) == 0;
  regfree(&expression);
  return matches;
}

bool is_topic_name(const std::string& x) {
  auto allowed = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
           || c == '_' || c == '-';
  };
  return x.size() <= 249 && x != "." && x != ".." && std::all_of(x.begin(), x.end(), allowed);
}

/// A service that read its own dead letters would make dead letters of them, for ever.
void check_dead_letter_topic(const service_config& config, problem_list& out) {
  const auto& topic = config.dead_letters.topic;
  if (topic.empty())
    return;
  if (!is_topic_name(topic))
    out.push_back("kafka.dead-letter-topic must be a topic's name (letters, digits, '.', '_' and "
                  "'-'), not "
                  + quoted_text(topic));
  for (const auto& x : config.kafka.topics)
    if (subscribes_to(x, topic))
      out.push_back("kafka.dead-letter-topic (" + quoted_text(topic) + ") must not be read by "
                    + "kafka.topics, but " + quoted_text(x)
                    + (x == topic ? " is the same topic" : " matches it"));
}

void check_shutdown(const setting_values& values, problem_list& out) {
  const auto& x = values.service;
  auto check = [&](const std::string& name, caf::timespan part) {
    if (part >= x.shutdown_timeout)
      out.push_back("service.shutdown-timeout (" + duration_text(x.shutdown_timeout)
                    + ") must exceed " + name + " (" + duration_text(part) + ")");
  };
  check("delivery.drain-timeout", x.delivery.drain_timeout);
  check("kafka.close-timeout", x.kafka.close_timeout);
  check("http.drain-timeout", values.http.drain_timeout);
}

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> buffer{};
  return inet_pton(AF_INET, text.c_str(), buffer.data()) == 1
         || inet_pton(AF_INET6, text.c_str(), buffer.data()) == 1;
}

/// The words behind the option's name in an error about a property.
std::string reason_of(const caf::error& err) {
  const auto& context = err.context();
  if (context.size() == 2 && context.match_element<std::string>(1))
    return context.get_as<std::string>(1);
  return render(err);
}

/// What is wrong with one property; nothing if the consumer takes it.
std::optional<std::string> check_property(const std::string& name, const std::string& value) {
  consumer_config probe;
  probe.properties.emplace(name, value);
  if (auto all = kafka::consumer_properties(probe); !all)
    return reason_of(all.error());
  if (auto conf = kafka::make_conf({{name, value}}); !conf)
    // librdkafka's own words may repeat the value.
    return is_secret_property(name) ? "librdkafka refuses the value" : reason_of(conf.error());
  return std::nullopt;
}

} // namespace

std::vector<std::string> check_kafka_properties(const property_map& properties) {
  problem_list result;
  for (const auto& [name, value] : properties)
    if (auto wrong = check_property(name, value))
      result.push_back("kafka.properties: " + name + ": " + *wrong);
  return result;
}

std::vector<std::string> check_together(const setting_values& values) {
  problem_list result;
  if (auto wrong = check_database_url(values.service.postgres.url))
    result.push_back("postgres.url " + *wrong);
  check_delivery(values, result);
  check_kafka(values.service.kafka, result);
  check_retention(values.service.retention.keep, result);
  check_dead_letter_topic(values.service, result);
  check_shutdown(values, result);
  if (const auto& endpoint = values.service.tracing.endpoint;
      !endpoint.empty() && !parse_http_url(endpoint))
    result.push_back("tracing.endpoint is not an absolute URL with http or https, or has a user");
  const auto& restarts = values.service.supervision;
  if (restarts.first_delay > restarts.max_delay)
    result.push_back("supervision.first-delay (" + duration_text(restarts.first_delay)
                     + ") must not exceed supervision.max-delay ("
                     + duration_text(restarts.max_delay) + ")");
  if (!is_ip_address(values.http.address))
    result.push_back("http.address must be an IP address such as 127.0.0.1, not "
                     + quoted_text(values.http.address));
  if (values.inspection.port != 0 && values.service.roles.http
      && values.inspection.port == values.http.port)
    result.push_back("inspection.port must not be http.port (" + std::to_string(values.http.port)
                     + ")");
  return result;
}

} // namespace notify

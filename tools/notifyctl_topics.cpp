#include "actors/kafka/admin.hpp"
#include "messages/error.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"
#include "tools/notifyctl_settings.hpp"

#include <array>
#include <chrono>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr std::array create_options = {
    config_option,
    brokers_option,
    timeout_option,
    cli::option{"partitions", "N", "partitions of each new topic", "1"},
    cli::option{"topic-config", "KEY=VALUE,...", "settings of each new topic", ""},
};

constexpr std::array wait_options = {config_option, brokers_option, timeout_option};

struct connection {
  kafka::admin client;
  std::chrono::seconds timeout;
  cluster servers;
};

caf::expected<connection> connect(const cli::arguments& from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto config = read_settings(from);
  if (!config)
    return std::move(config.error());
  auto servers = cluster_of(**config);
  auto client = kafka::admin::create(servers.brokers, "notifyctl", servers.connection);
  if (!client)
    return std::move(client.error());
  return connection{std::move(*client), std::chrono::seconds{*timeout}, std::move(servers)};
}

int failure(const caf::error& error, std::string_view path, const connection& to, streams io) {
  io.err << "notifyctl " << path << ": " << cli::message(error) << to.servers.suffix() << '\n';
  return cli::failed;
}

caf::expected<kafka::properties> topic_config(const std::string& text) {
  kafka::properties result;
  for (const auto& pair : cli::split_list(text)) {
    auto equals = pair.find('=');
    if (equals == std::string::npos)
      return caf::make_error(ec::invalid_config,
                             "--topic-config needs KEY=VALUE, not '" + pair + "'");
    result.insert_or_assign(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return result;
}

int create(const cli::arguments& from, streams io) {
  if (from.rest.empty())
    return usage_error(refuse("no topic is named"), "topics create", io);
  auto partitions = cli::number(from, "partitions", 1, 10000);
  if (!partitions)
    return usage_error(partitions.error(), "topics create", io);
  auto config = topic_config(from.at("topic-config"));
  if (!config)
    return usage_error(config.error(), "topics create", io);
  auto kafka = connect(from);
  if (!kafka)
    return usage_error(kafka.error(), "topics create", io);
  if (auto error = kafka->client.wait_for({}, kafka->timeout))
    return failure(error, "topics create", *kafka, io);
  std::vector<kafka::topic_spec> specs;
  for (const auto& name : from.rest)
    specs.push_back({name, static_cast<int32_t>(*partitions), *config});
  auto created = kafka->client.create_missing(specs, kafka->timeout);
  if (!created)
    return failure(created.error(), "topics create", *kafka, io);
  if (auto error = kafka->client.wait_for(from.rest, kafka->timeout))
    return failure(error, "topics create", *kafka, io);
  for (const auto& name : *created)
    io.out << "created " << name << '\n';
  return cli::success;
}

int wait(const cli::arguments& from, streams io) {
  auto kafka = connect(from);
  if (!kafka)
    return usage_error(kafka.error(), "topics wait", io);
  if (auto error = kafka->client.wait_for(from.rest, kafka->timeout))
    return failure(error, "topics wait", *kafka, io);
  return cli::success;
}

constexpr std::array<command, 2> commands = {{
    {"topics create", "NAME...", "create Kafka topics that do not exist",
     R"(Waits until they can be used; existing topics stay as they are.
)",
     R"(topics create --partitions=4 orders.events.v1
topics create --topic-config=max.message.bytes=2097152 notifications.dlq.v1
)",
     create_options, create},
    {"topics wait", "[NAME...]", "wait until a broker answers and the topics can be used",
     "Without a name, until a broker answers.\n", "topics wait --timeout=60\n", wait_options, wait},
}};

} // namespace

std::span<const command> topics_commands() {
  return commands;
}

} // namespace notify::ctl

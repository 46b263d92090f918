#include "actors/kafka/admin.hpp"
#include "messages/error.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"

#include <array>
#include <chrono>
#include <ostream>

namespace notify::ctl {

namespace {

using namespace std::string_view_literals;

constexpr std::array create_options = {
    brokers_option,
    timeout_option,
    cli::option{"partitions", "N", "partitions of each new topic", "1"},
    cli::option{"config", "KEY=VALUE,...", "settings of each new topic", ""},
};

constexpr std::array wait_options = {brokers_option, timeout_option};

constexpr auto topics_help = R"(Usage: notifyctl topics create [OPTION...] NAME...
       notifyctl topics wait [OPTION...] [NAME...]

create makes the topics that do not exist and waits until they can be used; existing topics stay
as they are. wait only waits; without a name, until a broker answers.

)"sv;

constexpr auto topics_examples = R"(
Examples:
  notifyctl topics create --partitions=4 orders.events.v1
  notifyctl topics create --config=max.message.bytes=2097152 notifications.dlq.v1
  notifyctl topics wait --timeout=60
)"sv;

struct connection {
  kafka::admin client;
  std::chrono::seconds timeout;
};

caf::expected<connection> connect(const cli::arguments& from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto client = kafka::admin::create(cli::split_list(from.at("brokers")), "notifyctl");
  if (!client)
    return std::move(client.error());
  return connection{std::move(*client), std::chrono::seconds{*timeout}};
}

int failure(const caf::error& error, const char* command, const cli::arguments& from, streams io) {
  io.err << "notifyctl " << command << ": " << render(error) << " (brokers " << from.at("brokers")
         << ")\n";
  return cli::failed;
}

caf::expected<kafka::properties> topic_config(const std::string& text) {
  kafka::properties result;
  for (const auto& pair : cli::split_list(text)) {
    auto equals = pair.find('=');
    if (equals == std::string::npos)
      return caf::make_error(ec::invalid_config, "--config needs KEY=VALUE, not '" + pair + "'");
    result.insert_or_assign(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return result;
}

int create(const cli::arguments& from, streams io) {
  auto partitions = cli::number(from, "partitions", 1, 10000);
  if (!partitions)
    return usage_error(partitions.error(), "topics create", io);
  auto config = topic_config(from.at("config"));
  if (!config)
    return usage_error(config.error(), "topics create", io);
  auto kafka = connect(from);
  if (!kafka)
    return usage_error(kafka.error(), "topics create", io);
  if (auto error = kafka->client.wait_for({}, kafka->timeout))
    return failure(error, "topics create", from, io);
  std::vector<kafka::topic_spec> specs;
  for (const auto& name : from.rest)
    specs.push_back({name, static_cast<int32_t>(*partitions), *config});
  auto created = kafka->client.create_missing(specs, kafka->timeout);
  if (!created)
    return failure(created.error(), "topics create", from, io);
  if (auto error = kafka->client.wait_for(from.rest, kafka->timeout))
    return failure(error, "topics create", from, io);
  for (const auto& name : *created)
    io.out << "created " << name << '\n';
  return cli::success;
}

int wait(const cli::arguments& from, streams io) {
  auto kafka = connect(from);
  if (!kafka)
    return usage_error(kafka.error(), "topics wait", io);
  if (auto error = kafka->client.wait_for(from.rest, kafka->timeout))
    return failure(error, "topics wait", from, io);
  return cli::success;
}

int show_topics_help(streams io) {
  io.out << topics_help << cli::describe(create_options) << topics_examples;
  return cli::success;
}

} // namespace

int run_topics(std::span<const char* const> words, streams io) {
  std::string_view verb = words.empty() ? ""sv : words.front();
  if (verb == "--help" || verb == "-h")
    return show_topics_help(io);
  if (verb != "create" && verb != "wait")
    return usage_error(caf::make_error(ec::invalid_config,
                                       verb.empty()
                                           ? std::string{"what to do: create or wait"}
                                           : "create or wait, not '" + std::string{verb} + "'"),
                       "topics", io);
  auto creating = verb == "create";
  auto known = creating ? std::span<const cli::option>{create_options} : wait_options;
  auto arguments = cli::parse(words.subspan(1), known);
  if (!arguments)
    return usage_error(arguments.error(), "topics", io);
  if (arguments->has("help"))
    return show_topics_help(io);
  if (!creating)
    return wait(*arguments, io);
  if (arguments->rest.empty())
    return usage_error(caf::make_error(ec::invalid_config, std::string{"no topic is named"}),
                       "topics", io);
  return create(*arguments, io);
}

} // namespace notify::ctl

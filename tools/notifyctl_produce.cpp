#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"
#include "tools/notifyctl_settings.hpp"
#include "tools/sample_events.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr std::array produce_options = {
    config_option,
    brokers_option,
    topic_option,
    timeout_option,
    cli::option{"type", "TYPE", "event type of the samples", "order.paid.v1"},
    cli::option{"count", "N", "how many samples", "1"},
    cli::option{"email", "ADDRESS", "the buyer's address", "buyer@example.com"},
    cli::option{"locale", "ru|en", "the buyer's language", "en"},
    cli::option{"event-id", "UUID", "same id for every sample, to show that copies are dropped",
                ""},
    cli::option{"file", "FILE", "publish its lines, one JSON object each, instead of samples", ""},
    cli::option{"raw", "", "with --file: publish the lines as they are, valid or not", ""},
};

/// Fills the next record; false at the end.
using source = std::function<caf::expected<bool>(kafka::outgoing_record&)>;

caf::expected<source> samples(const cli::arguments& from) {
  auto count = cli::number(from, "count", 1, 100'000'000);
  if (!count)
    return std::move(count.error());
  sample::choices choices{from.at("type"), from.at("email"), from.at("locale"), std::nullopt};
  auto known = sample::types();
  if (std::find(known.begin(), known.end(), choices.type) == known.end()) {
    auto other = nearest(choices.type, {known.begin(), known.end()});
    return refuse("unknown type '" + choices.type + "'"
                  + (other.empty() ? "" : ", did you mean '" + other + "'?"));
  }
  if (choices.locale != "ru" && choices.locale != "en")
    return refuse("--locale must be ru or en, not '" + choices.locale + "'");
  if (from.has("event-id")) {
    choices.event_id = uuid::parse(from.at("event-id"));
    if (!choices.event_id)
      return refuse("--event-id must be a UUID, not '" + from.at("event-id") + "'");
  }
  return source{[choices, left = *count](kafka::outgoing_record& x) mutable -> caf::expected<bool> {
    if (left-- == 0)
      return false;
    x = sample::make_event(choices);
    return true;
  }};
}

caf::expected<source> lines_of(const std::string& path, bool raw) {
  auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*file)
    return refuse("cannot read " + path);
  return source{[=, number = 0](kafka::outgoing_record& x) mutable -> caf::expected<bool> {
    std::string line;
    do {
      ++number;
      if (!std::getline(*file, line))
        return false;
    } while (line.empty());
    auto record = sample::from_line(line, raw);
    if (!record)
      return caf::make_error(ec::invalid_event, path + " line " + std::to_string(number),
                             render(record.error()));
    x = std::move(*record);
    return true;
  }};
}

caf::expected<source> open_source(const cli::arguments& from) {
  if (from.has("file"))
    return lines_of(from.at("file"), from.has("raw"));
  if (from.has("raw"))
    return refuse("--raw needs --file");
  return samples(from);
}

/// What was sent and what came back.
struct tally {
  uint64_t sent = 0;
  uint64_t acknowledged = 0;
  std::string first_failure;

  void count(const kafka::delivery_report& x) {
    if (x.result == kafka::delivery::acknowledged)
      ++acknowledged;
    else if (first_failure.empty())
      first_failure = x.reason;
  }
};

caf::error send_all(kafka::producer& producer, const source& next, const std::string& topic,
                    tally& total, streams io) {
  for (;;) {
    kafka::outgoing_record record;
    auto more = next(record);
    if (!more)
      return std::move(more.error());
    if (!*more)
      return caf::none;
    record.topic = topic;
    if (auto error = producer.produce(record))
      return error;
    ++total.sent;
    if (auto id = sample::event_id_of(record); !id.empty())
      io.out << id << '\n';
  }
}

/// Where the events go, and for how long it may take.
struct destination {
  cluster servers;
  std::string topic;
  std::chrono::seconds timeout;
};

caf::expected<destination> find_destination(const cli::arguments& from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto config = read_settings(from);
  if (!config)
    return std::move(config.error());
  auto topic = event_topic(from, **config);
  if (!topic)
    return std::move(topic.error());
  return destination{cluster_of(**config), std::move(*topic), std::chrono::seconds{*timeout}};
}

int publish(const destination& to, const source& next, streams io) {
  tally total;
  kafka::producer_config config;
  config.brokers = to.servers.brokers;
  config.client_id = "notifyctl";
  config.message_timeout = to.timeout;
  config.queue_timeout = to.timeout;
  config.more = to.servers.connection;
  auto producer =
      kafka::producer::create(config, [&total](const auto& report) { total.count(report); });
  if (!producer)
    return usage_error(producer.error(), "produce", io);
  auto error = send_all(**producer, next, to.topic, total, io);
  auto flushed = (*producer)->flush(to.timeout + std::chrono::seconds{5});
  if (!error)
    error = flushed;
  io.err << total.acknowledged << " of " << total.sent << " events acknowledged by " << to.topic
         << '\n';
  if (!error && total.acknowledged == total.sent)
    return cli::success;
  io.err << "notifyctl produce: " << (error ? render(error) : total.first_failure)
         << to.servers.suffix() << '\n';
  return cli::failed;
}

int produce(const cli::arguments& from, streams io) {
  auto next = open_source(from);
  if (!next)
    return usage_error(next.error(), "produce", io);
  auto to = find_destination(from);
  return to ? publish(*to, *next, io) : usage_error(to.error(), "produce", io);
}

constexpr std::array<command, 1> commands = {{
    {"produce", "", "publish sample order events, or events from a file",
     R"(Prints the id of each acknowledged one, a line each.
Types: order.created.v1, order.paid.v1, order.cancelled.v1, order.completed.v1
)",
     R"(produce
produce --type=order.cancelled.v1 --locale=ru --count=100
produce --event-id=7b7e3f4c-52f3-4c5b-9a0a-8a3a1d2f6c11 --count=2
produce --config=/etc/notifyd/notifyd.ini --file=events.jsonl
)",
     produce_options, produce},
}};

} // namespace

std::span<const command> produce_commands() {
  return commands;
}

} // namespace notify::ctl

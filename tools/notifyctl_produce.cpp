#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"
#include "tools/notifyctl.hpp"
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
    cli::option{"brokers", "HOST:PORT,...", "where Kafka listens", "127.0.0.1:9092"},
    cli::option{"topic", "NAME", "where the events go", "orders.events.v1"},
    cli::option{"type", "TYPE", "event type of the samples", "order.paid.v1"},
    cli::option{"count", "N", "how many samples", "1"},
    cli::option{"email", "ADDRESS", "the buyer's address", "buyer@example.com"},
    cli::option{"locale", "ru|en", "the buyer's language", "en"},
    cli::option{"event-id", "UUID", "same id for every sample, to show that copies are dropped",
                ""},
    cli::option{"file", "FILE", "publish its lines, one JSON object each, instead of samples", ""},
    cli::option{"raw", "", "with --file: publish the lines as they are, valid or not", ""},
    cli::option{"timeout", "SECONDS", "give up after this time", "30"},
};

constexpr auto produce_help = R"(Usage: notifyctl produce [OPTION...]

Publishes order events and prints the id of each acknowledged one, a line each.

)";

constexpr auto produce_examples = R"(
Types: order.created.v1, order.paid.v1, order.cancelled.v1, order.completed.v1

Examples:
  notifyctl produce
  notifyctl produce --type=order.cancelled.v1 --locale=ru --count=100
  notifyctl produce --event-id=7b7e3f4c-52f3-4c5b-9a0a-8a3a1d2f6c11 --count=2
  notifyctl produce --file=events.jsonl
)";

/// Fills the next record; false at the end.
using source = std::function<caf::expected<bool>(kafka::outgoing_record&)>;

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_config, std::move(text));
}

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
  if (!from.rest.empty())
    return refuse("unexpected word '" + from.rest.front() + "'");
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

int produce(const cli::arguments& from, const source& next, std::chrono::seconds timeout,
            streams io) {
  tally total;
  kafka::producer_config config;
  config.brokers = cli::split_list(from.at("brokers"));
  config.client_id = "notifyctl";
  config.message_timeout = timeout;
  config.queue_timeout = timeout;
  auto producer =
      kafka::producer::create(config, [&total](const auto& report) { total.count(report); });
  if (!producer)
    return usage_error(producer.error(), "produce", io);
  auto error = send_all(**producer, next, from.at("topic"), total, io);
  auto flushed = (*producer)->flush(timeout + std::chrono::seconds{5});
  if (!error)
    error = flushed;
  io.err << total.acknowledged << " of " << total.sent << " events acknowledged by "
         << from.at("topic") << '\n';
  if (!error && total.acknowledged == total.sent)
    return cli::success;
  io.err << "notifyctl produce: " << (error ? render(error) : total.first_failure) << " (brokers "
         << from.at("brokers") << ")\n";
  return cli::failed;
}

} // namespace

int run_produce(std::span<const char* const> words, streams io) {
  auto arguments = cli::parse(words, produce_options);
  if (!arguments)
    return usage_error(arguments.error(), "produce", io);
  if (arguments->has("help")) {
    io.out << produce_help << cli::describe(produce_options) << produce_examples;
    return cli::success;
  }
  auto timeout = cli::number(*arguments, "timeout", 1, 3600);
  if (!timeout)
    return usage_error(timeout.error(), "produce", io);
  auto next = open_source(*arguments);
  if (!next)
    return usage_error(next.error(), "produce", io);
  return produce(*arguments, *next, std::chrono::seconds{*timeout}, io);
}

} // namespace notify::ctl

#include "actors/kafka/dev_broker.hpp"
#include "messages/error.hpp"
#include "tools/command_line.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

// Hosts a Kafka cluster in memory, so that a first look at the service needs no Java.

namespace notify {

namespace {

constexpr std::array options = {
    cli::option{"bootstrap-file", "FILE", "write the brokers' addresses there when they listen",
                ""},
    cli::option{"topics", "NAME:PARTITIONS,...", "create these", ""},
    cli::option{"brokers", "N", "how many brokers", "1"},
};

constexpr auto help = R"(notify-dev-broker: a Kafka cluster in memory, for development

It listens on loopback ports of its own choice, prints them, and runs until SIGTERM or SIGINT.
A partition keeps at most 5 MiB or 100,000 batches, then silently drops the oldest. Everything is
gone when it stops.

)";

constexpr auto commands_help = R"(
Commands on standard input, one a line:
  topic NAME PARTITIONS    create a topic
  down | up                all brokers refuse connections | take them again
  rtt MILLISECONDS         answers come this much later
  errors API-KEY CODE...   the next requests of this kind fail with these error numbers
  quit
)";

bool write_file(const std::string& path, const std::string& text) {
  // Renamed into place: a reader sees all of it or nothing.
  auto draft = path + ".new";
  std::ofstream file{draft};
  file << text << '\n';
  file.close();
  return file.good() && std::rename(draft.c_str(), path.c_str()) == 0;
}

caf::expected<std::vector<kafka::topic_spec>> read_topics(const std::string& text) {
  std::vector<kafka::topic_spec> result;
  for (const auto& part : cli::split_list(text)) {
    auto colon = part.rfind(':');
    cli::arguments one;
    one.options["topics"] = colon == std::string::npos ? "1" : part.substr(colon + 1);
    auto partitions = cli::number(one, "topics", 1, 1000);
    if (!partitions)
      return std::move(partitions.error());
    result.push_back({part.substr(0, colon), static_cast<int32_t>(*partitions), {}});
  }
  return result;
}

std::string push_errors(kafka::dev_broker& broker, std::istringstream& words) {
  int16_t api_key = 0;
  std::vector<rd_kafka_resp_err_t> codes;
  words >> api_key;
  for (int code = 0; words >> code;)
    codes.push_back(static_cast<rd_kafka_resp_err_t>(code));
  if (codes.empty())
    return "errors needs an api key and error numbers";
  broker.push_errors(api_key, codes);
  return "ok";
}

/// Answers one command; nothing means: stop.
std::optional<std::string> obey(kafka::dev_broker& broker, const std::string& line) {
  std::istringstream words{line};
  std::string verb;
  words >> verb;
  if (verb == "quit")
    return std::nullopt;
  if (verb == "down" || verb == "up") {
    broker.set_down(verb == "down");
    return "ok";
  }
  if (verb == "errors")
    return push_errors(broker, words);
  std::string name;
  int32_t number = 0;
  if (verb == "topic" && words >> name >> number && number > 0) {
    auto error = broker.create_topic(name, number);
    return error ? render(error) : "ok";
  }
  if (verb == "rtt" && words >> number && number >= 0) {
    broker.set_round_trip(std::chrono::milliseconds{number});
    return "ok";
  }
  return verb.empty() ? "" : "cannot read '" + line + "'";
}

/// Takes whole lines from `input` and runs them; false means: stop.
bool obey_all(kafka::dev_broker& broker, std::string& input) {
  for (auto end = input.find('\n'); end != std::string::npos; end = input.find('\n')) {
    auto answer = obey(broker, input.substr(0, end));
    input.erase(0, end + 1);
    if (!answer)
      return false;
    std::cout << *answer << std::endl;
  }
  return true;
}

/// Waits for commands and signals, without waking up in between.
void serve(kafka::dev_broker& broker, int signals) {
  std::string input;
  std::array<pollfd, 2> sources = {{{signals, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  for (;;) {
    if (poll(sources.data(), sources.size(), -1) < 0)
      continue;
    if (sources[0].revents != 0)
      return;
    if (sources[1].revents == 0)
      continue;
    std::array<char, 4096> block{};
    auto length = read(STDIN_FILENO, block.data(), block.size());
    if (length <= 0)
      sources[1].fd = -1; // No more commands; a signal still stops us.
    else if (!obey_all(broker, input.append(block.data(), static_cast<size_t>(length))))
      return;
  }
}

/// Blocks the stop signals in all threads to come; they arrive on the descriptor instead.
int catch_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

int complain(const std::string& text, int code) {
  std::cerr << "notify-dev-broker: " << text << '\n';
  return code;
}

int run(std::span<const char* const> words) {
  auto arguments = cli::parse(words, options);
  if (!arguments)
    return complain(cli::message(arguments.error()), cli::usage);
  if (arguments->has("help")) {
    std::cout << help << cli::describe(options) << commands_help;
    return cli::success;
  }
  auto brokers = cli::number(*arguments, "brokers", 1, 16);
  auto topics = read_topics(arguments->at("topics"));
  if (!brokers || !topics)
    return complain(cli::message(!brokers ? brokers.error() : topics.error()), cli::usage);
  auto signals = catch_stop_signals();
  auto broker = kafka::dev_broker::start(*topics, static_cast<int>(*brokers));
  if (!broker)
    return complain(render(broker.error()), cli::failed);
  std::cout << (*broker)->bootstrap() << std::endl;
  const auto& file = arguments->at("bootstrap-file");
  if (!file.empty() && !write_file(file, (*broker)->bootstrap()))
    return complain("cannot write " + file, cli::failed);
  serve(**broker, signals);
  close(signals);
  return cli::success;
}

} // namespace

} // namespace notify

int main(int argc, char** argv) {
  std::span<const char* const> words{argv, static_cast<size_t>(argc)};
  return notify::run(words.subspan(1));
}

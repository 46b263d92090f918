#pragma once

#include "actors/delivery_worker.hpp"
#include "actors/job_dispatcher.hpp"
#include "actors/provider_client.hpp"
#include "actors/result_writer.hpp"
#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_queue.hpp"

#include <deque>

namespace notify::test {

using namespace std::chrono_literals;

/// Answers every send as the test's rule says; without one, keeps it until the test answers or
/// the adapter is stopped.
class ruled_provider : public provider {
public:
  using time_point = caf::actor_clock::clock_type::time_point;

  struct send_seen {
    send_request request;
    time_point at;
  };

  explicit ruled_provider(std::function<time_point()> now) : now_(std::move(now)) {}

  std::string name() const override { return "ruled"; }

  void send(send_request request, completion done) override {
    seen.push_back({request, now_()});
    if (rule)
      done(rule(request));
    else
      held.push_back(std::move(done));
  }

  void stop() override {
    outcome x;
    x.kind = at_stop;
    x.reason = "stopped";
    for (auto& done : std::exchange(held, {}))
      done(x);
  }

  std::function<outcome(const send_request&)> rule;
  outcome_kind at_stop = outcome_kind::interrupted;
  std::vector<send_seen> seen;
  std::deque<completion> held;

private:
  std::function<time_point()> now_;
};

/// Renders the payload as it is.
class payload_templates : public template_set {
public:
  bool contains(const std::string&) const override { return true; }

  caf::expected<rendered_message> render(const delivery_job& job) const override {
    return rendered_message{"subject", job.payload, "", "hash of " + job.payload};
  }
};

inline outcome outcome_of(outcome_kind kind, const std::string& reason = "test") {
  outcome x;
  x.kind = kind;
  x.reason = reason;
  return x;
}

/// The delivery side of one process, complete, on virtual time: dispatcher, workers, provider
/// clients and a result writer around a queue in memory.
struct delivery_fixture : actor_fixture {
  delivery_fixture() {
    config.delivery.lease = 150s;
    config.delivery.heartbeat_interval = 40s;
    config.delivery.poll_interval = 1s;
    config.delivery.drain_timeout = 10s;
  }

  ~delivery_fixture() {
    stop_dispatcher();
    for (auto& x : workers)
      stop(x);
    for (auto& x : clients)
      stop(x.second);
    stop(writer);
    dir->clear();
    settle();
  }

  channel_config& channel(const std::string& name) {
    auto& x = config.channels[name];
    x.retry.jitter = 0;
    adapters.emplace(name, std::make_shared<ruled_provider>([this] { return now(); }));
    return x;
  }

  ruled_provider& adapter(const std::string& name) { return *adapters.at(name); }

  void start() {
    writer = system.spawn(result_writer, result_writer_config{}, queue);
    put(actor_names::result_writer(0), writer);
    for (const auto& [name, settings] : config.channels)
      start_client(name, settings);
    dispatcher = system.spawn(job_dispatcher, config, queue, dir);
    put(actor_names::dispatcher, dispatcher);
    for (const auto& [name, settings] : config.channels)
      for (size_t i = 0; i < settings.slots; ++i)
        start_worker(name, settings);
    settle();
  }

  void start_client(const std::string& name, const channel_config& settings) {
    provider_client_config own;
    own.channel = name;
    own.deadline = settings.deadline;
    own.concurrency = static_cast<uint32_t>(settings.slots);
    own.breaker = settings.breaker;
    clients[name] = system.spawn(provider_client, own, provider_ptr{adapters.at(name)}, dir);
    put(actor_names::provider_client(name), clients[name]);
  }

  void start_worker(const std::string& name, const channel_config& settings) {
    delivery_worker_config own;
    own.channel = name;
    own.deadline = settings.deadline;
    own.retry = settings.retry;
    own.key_lifetime = key_lifetime;
    workers.push_back(
        system.spawn(delivery_worker, own, std::make_shared<payload_templates>(), dir));
  }

  template <class Handle>
  void put(const std::string& name, const Handle& x) {
    dir->put(name, caf::actor_cast<caf::strong_actor_ptr>(x));
  }

  void stop_dispatcher() {
    stop(dispatcher);
    advance(config.delivery.drain_timeout);
    advance(5s);
  }

  /// Moves on in steps, so that timers armed on the way fire on the way.
  void pass(caf::timespan amount, caf::timespan step = 100ms) {
    for (caf::timespan done{0}; done < amount; done += step)
      advance(step);
  }

  caf::actor_clock::clock_type::time_point now() { return scheduler.clock().now(); }

  using timespan = caf::timespan;

  job_dispatcher_config config;
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<memory_queue> queue = std::make_shared<memory_queue>([this] { return now(); });
  std::map<std::string, std::shared_ptr<ruled_provider>> adapters;
  std::map<std::string, provider_client_actor> clients;
  std::vector<delivery_worker_actor> workers;
  result_writer_actor writer;
  job_dispatcher_actor dispatcher;
  caf::timespan key_lifetime{0};
};

} // namespace notify::test

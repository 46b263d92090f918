#include "actors/service_tree.hpp"

#include "actors/consumer.hpp"
#include "actors/dead_letter_relay.hpp"
#include "actors/delivery_worker.hpp"
#include "actors/inbox_writer.hpp"
#include "actors/inspector.hpp"
#include "actors/janitor.hpp"
#include "actors/job_dispatcher.hpp"
#include "actors/job_listener.hpp"
#include "actors/lease_reaper.hpp"
#include "actors/operation_runner.hpp"
#include "actors/operator_desk.hpp"
#include "actors/provider_client.hpp"
#include "actors/provider_factory.hpp"
#include "actors/result_writer.hpp"
#include "actors/stats_collector.hpp"
#include "actors/trace_exporter.hpp"
#include "messages/log.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_dead_letter_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_janitor_store.hpp"
#include "persistence/pg_operation_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "persistence/pg_read_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "persistence/pg_stats_store.hpp"

#include <utility>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// A child on the scheduler, or with a thread of its own if it blocks. `make` spawns it.
template <class Make>
child_spec child_of(std::string name, Make make, caf::timespan stop_timeout = 5s) {
  return {std::move(name),
          [make](caf::local_actor& parent) {
            return caf::actor_cast<caf::strong_actor_ptr>(make(parent));
          },
          false, stop_timeout};
}

child_spec provider_client_spec(const service_parts& parts, const std::string& channel,
                                const channel_config& config) {
  return child_of(actor_names::provider_client(channel), [=](caf::local_actor& parent) {
    provider_client_config own;
    own.channel = channel;
    own.deadline = config.deadline;
    own.concurrency = parts.tuning->of(channel).concurrency;
    own.max_pause = config.retry.max_wait_hint;
    own.breaker = config.breaker;
    own.metrics = parts.metrics;
    // A fresh adapter for each life: the old one may hold sends that nobody waits for.
    return parent.spawn(provider_client, own, make_provider(parts.io->context(), config),
                        parts.dir);
  });
}

child_spec worker_pool_spec(const service_parts& parts, const std::string& channel,
                            const channel_config& config) {
  delivery_worker_config own;
  own.channel = channel;
  own.deadline = config.deadline;
  own.result_writers = parts.config.delivery.result_writers;
  own.retry = config.retry;
  own.key_lifetime = key_lifetime(config);
  own.metrics = parts.metrics;
  own.trace = parts.trace;
  supervisor_setup setup{actor_names::worker_pool(channel), stop_order::together,
                         parts.config.supervision};
  setup.make_child = [own, templates = parts.templates, dir = parts.dir](size_t slot) {
    return child_of(actor_names::delivery_worker(own.channel, slot), [=](caf::local_actor& parent) {
      return parent.spawn(delivery_worker, own, templates, dir);
    });
  };
  auto pool =
      child_of(setup.name, [=, tuning = parts.tuning, dir = parts.dir](caf::local_actor& parent) {
        std::vector<child_spec> workers;
        for (size_t slot = 0; slot < tuning->of(channel).slots; ++slot)
          workers.push_back(setup.make_child(slot));
        return parent.spawn(supervisor, setup, workers, dir);
      });
  pool.is_supervisor = true;
  return pool;
}

child_spec result_writer_spec(const service_parts& parts, size_t index) {
  const auto& config = parts.config;
  return child_of(
      actor_names::result_writer(index),
      [own = result_writer_config{config.delivery.result_batch, parts.metrics},
       postgres = config.postgres,
       suppression = config.delivery.suppression](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(
            result_writer, own, std::make_shared<pg_result_store>(postgres, suppression));
      },
      10s);
}

child_spec dispatcher_spec(const service_parts& parts) {
  const auto& config = parts.config;
  job_dispatcher_config at_start{config.delivery, config.channels, config.reaper.reclaim_cap,
                                 parts.metrics, parts.trace};
  return child_of(
      actor_names::dispatcher,
      [at_start, postgres = config.postgres, owner = parts.owner, tuning = parts.tuning,
       dir = parts.dir](caf::local_actor& parent) {
        auto own = at_start;
        for (auto& [channel, settings] : own.channels)
          apply_tuning(tuning->of(channel), settings);
        return parent.spawn<caf::detached>(job_dispatcher, own,
                                           std::make_shared<pg_claim_store>(postgres, owner), dir);
      },
      config.delivery.drain_timeout + 5s);
}

child_spec inbox_writer_spec(const service_parts& parts, size_t index,
                             const std::shared_ptr<ingest_commons>& commons) {
  const auto& config = parts.config;
  inbox_writer_config own;
  own.limits = config.ingest.limits;
  own.crash_tries = config.ingest.crash_tries;
  own.watched_records = config.kafka.batch_records;
  own.commons = commons;
  own.relay = [dir = parts.dir] { return dir->dead_letter_relay(); };
  own.signal = parts.signal;
  own.metrics = parts.metrics;
  own.trace = parts.trace;
  return child_of(actor_names::inbox_writer(index), [own, postgres = parts.config.postgres,
                                                     routes = parts.routes,
                                                     dir = parts.dir](caf::local_actor& parent) {
    return parent.spawn<caf::detached>(inbox_writer, own,
                                       std::make_shared<pg_ingest_store>(postgres), routes,
                                       dispatcher_resolver{[dir] { return dir->dispatcher(); }});
  });
}

child_spec dead_letter_relay_spec(const service_parts& parts) {
  const auto& config = parts.config;
  dead_letter_relay_config own{config.dead_letters,
                               {config.dead_letters.topic, config.kafka.group, config.version},
                               parts.metrics};
  return child_of(
      actor_names::dead_letter_relay,
      [own, postgres = config.postgres, kafka = config.kafka,
       owner = parts.owner](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(
            dead_letter_relay, own,
            std::make_shared<pg_dead_letter_store>(postgres, "relay", owner),
            dead_letter_senders(kafka, own.timing));
      },
      own.timing.drain_timeout + 5s);
}

child_spec consumer_spec(const service_parts& parts) {
  measured own{parts.config.kafka, parts.metrics};
  own.life = to_string(parts.owner);
  return child_of(
      actor_names::consumer,
      [config = own, dir = parts.dir, trace = parts.trace](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(consumer, config, kafka_records(config),
                                           writer_resolver{[dir] { return dir->inbox_writers(); }},
                                           trace);
      },
      parts.config.kafka.close_timeout + 2s);
}

child_spec janitor_spec(const service_parts& parts) {
  const auto& config = parts.config;
  return child_of(actor_names::janitor, [own = measured{config.retention, parts.metrics},
                                         postgres = config.postgres](caf::local_actor& parent) {
    return parent.spawn<caf::detached>(janitor, own,
                                       std::make_shared<pg_janitor_store>(postgres, own.keep));
  });
}

child_spec stats_collector_spec(const service_parts& parts) {
  const auto& config = parts.config;
  return child_of(actor_names::stats_collector,
                  [own = stats_collector_config{config.stats.interval, parts.metrics},
                   postgres = config.postgres, timeout = config.stats.statement_timeout,
                   dir = parts.dir](caf::local_actor& parent) {
                    return parent.spawn<caf::detached>(
                        stats_collector, own, std::make_shared<pg_stats_store>(postgres, timeout),
                        dir);
                  });
}

/// Where processes tell each other of new jobs. All of one database must agree on it.
constexpr const char* notice_channel = "notify_jobs";

/// Delivering processes listen, ingesting ones tell.
child_spec job_listener_spec(const service_parts& parts) {
  job_listener_config own;
  own.metrics = parts.metrics;
  if (parts.config.roles.deliver)
    for (const auto& [name, settings] : parts.config.channels)
      own.channels.push_back(name);
  return child_of(actor_names::job_listener, [own, parts](caf::local_actor& parent) {
    auto line = std::make_shared<pg_notice_line>(parts.config.postgres, notice_channel,
                                                 own.listens(), own.probe_timeout);
    return parent.spawn<caf::detached>(job_listener, own, line, parts.signal, parts.dir);
  });
}

child_spec trace_exporter_spec(const service_parts& parts) {
  const auto& config = parts.config;
  trace_exporter_config own{
      config.tracing, {config.instance, config.version}, parts.trace.budget()};
  return child_of(actor_names::trace_exporter, [own, io = parts.io](caf::local_actor& parent) {
    return parent.spawn(trace_exporter, own, make_trace_client(io->context(), own.tracing));
  });
}

child_spec operation_runner_spec(const service_config& config) {
  operation_runner_config own;
  own.interval = config.operators.operation_interval;
  own.pause = config.operators.operation_pause;
  own.batch.acts = config.operators.operation_batch;
  return child_of(
      actor_names::operation_runner,
      [own, postgres = config.postgres](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(operation_runner, own,
                                           std::make_shared<pg_operation_store>(postgres));
      },
      10s);
}

child_spec operator_desk_spec(const service_parts& parts, size_t index) {
  operator_desk_config own;
  own.name = actor_names::operator_desk(index);
  for (const auto& [channel, settings] : parts.config.channels)
    own.channels.insert(channel);
  // Whoever asked does not wait for long, and must not hold others up either.
  auto postgres = parts.config.postgres;
  postgres.statement_timeout = parts.config.operators.query_timeout;
  postgres.lock_timeout = std::min(postgres.lock_timeout, parts.config.operators.query_timeout);
  replay_rules rules{parts.routes, parts.config.ingest.limits};
  return child_of(own.name, [=, dir = parts.dir](caf::local_actor& parent) {
    operator_desk_stores stores{std::make_shared<pg_read_store>(postgres),
                                std::make_shared<pg_operator_store>(postgres),
                                std::make_shared<pg_dead_letter_store>(postgres, "api"),
                                std::make_shared<pg_ingest_store>(postgres)};
    return parent.spawn<caf::detached>(operator_desk, own, stores, rules, dir);
  });
}

void add_delivery(const service_parts& parts, std::vector<child_spec>& tree) {
  const auto& config = parts.config;
  tree.push_back(
      child_of(actor_names::lease_reaper, [own = measured{config.reaper, parts.metrics},
                                           postgres = config.postgres](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(lease_reaper, own,
                                           std::make_shared<pg_reaper_store>(postgres));
      }));
  for (size_t i = 0; i < config.delivery.result_writers; ++i)
    tree.push_back(result_writer_spec(parts, i));
  for (const auto& [channel, settings] : config.channels)
    tree.push_back(provider_client_spec(parts, channel, settings));
  for (const auto& [channel, settings] : config.channels)
    tree.push_back(worker_pool_spec(parts, channel, settings));
  tree.push_back(dispatcher_spec(parts));
}

void add_ingest(const service_parts& parts, std::vector<child_spec>& tree) {
  if (!parts.config.dead_letters.topic.empty())
    tree.push_back(dead_letter_relay_spec(parts));
  auto commons = std::make_shared<ingest_commons>(parts.config.ingest.breaker);
  for (size_t i = 0; i < parts.config.ingest.writers; ++i)
    tree.push_back(inbox_writer_spec(parts, i, commons));
  tree.push_back(consumer_spec(parts));
}

} // namespace

std::vector<child_spec> service_tree(const service_parts& parts) {
  std::vector<child_spec> tree;
  tree.push_back(child_of(actor_names::inspector, [](caf::local_actor& parent) {
    // Its parent is the root of what it shows.
    auto root = caf::actor_cast<supervisor_actor>(caf::strong_actor_ptr{parent.ctrl()});
    return parent.spawn(inspector, inspector_config{}, root);
  }));
  // Started before and stopped after whoever makes spans.
  if (parts.trace)
    tree.push_back(trace_exporter_spec(parts));
  const auto& roles = parts.config.roles;
  // Whoever fills the tables may also clean them; of many processes one does.
  if (roles.deliver || roles.ingest)
    tree.push_back(janitor_spec(parts));
  tree.push_back(stats_collector_spec(parts));
  if (roles.deliver || roles.http)
    tree.push_back(operation_runner_spec(parts.config));
  if (roles.http)
    for (size_t i = 0; i < parts.config.operators.desks; ++i)
      tree.push_back(operator_desk_spec(parts, i));
  if (roles.deliver)
    add_delivery(parts, tree);
  if (parts.signal)
    tree.push_back(job_listener_spec(parts));
  if (roles.ingest)
    add_ingest(parts, tree);
  return tree;
}

} // namespace notify

#include "actors/service_tree.hpp"

#include "actors/consumer.hpp"
#include "actors/dead_letter_relay.hpp"
#include "actors/delivery_worker.hpp"
#include "actors/inbox_writer.hpp"
#include "actors/inspector.hpp"
#include "actors/janitor.hpp"
#include "actors/job_dispatcher.hpp"
#include "actors/lease_reaper.hpp"
#include "actors/operation_runner.hpp"
#include "actors/operator_desk.hpp"
#include "actors/provider_client.hpp"
#include "actors/provider_factory.hpp"
#include "actors/result_writer.hpp"
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

#include <algorithm>
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
    own.concurrency = static_cast<uint32_t>(
        config.concurrency == 0 ? config.slots : std::min(config.concurrency, config.slots));
    own.max_pause = config.retry.max_wait_hint;
    own.breaker = config.breaker;
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
  std::vector<child_spec> workers;
  for (size_t slot = 0; slot < config.slots; ++slot)
    workers.push_back(
        child_of(actor_names::delivery_worker(channel, slot),
                 [own, templates = parts.templates, dir = parts.dir](caf::local_actor& parent) {
                   return parent.spawn(delivery_worker, own, templates, dir);
                 }));
  supervisor_setup setup{"workers-" + channel, stop_order::together, parts.config.supervision};
  auto pool = child_of(setup.name, [=, dir = parts.dir](caf::local_actor& parent) {
    return parent.spawn(supervisor, setup, workers, dir);
  });
  pool.is_supervisor = true;
  return pool;
}

child_spec result_writer_spec(const service_config& config, size_t index) {
  return child_of(
      actor_names::result_writer(index),
      [own = result_writer_config{config.delivery.result_batch}, postgres = config.postgres,
       suppression = config.delivery.suppression](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(
            result_writer, own, std::make_shared<pg_result_store>(postgres, suppression));
      },
      10s);
}

child_spec dispatcher_spec(const service_parts& parts) {
  const auto& config = parts.config;
  job_dispatcher_config own{config.delivery, config.channels, config.reaper.reclaim_cap};
  return child_of(
      actor_names::dispatcher,
      [own, postgres = config.postgres, owner = parts.owner,
       dir = parts.dir](caf::local_actor& parent) {
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
                               {config.dead_letters.topic, config.kafka.group, config.version}};
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
  return child_of(
      actor_names::consumer,
      [config = parts.config.kafka, dir = parts.dir](caf::local_actor& parent) {
        return parent.spawn<caf::detached>(consumer, config, kafka_records(config),
                                           writer_resolver{[dir] { return dir->inbox_writers(); }});
      },
      parts.config.kafka.close_timeout + 2s);
}

child_spec janitor_spec(const service_config& config) {
  return child_of(actor_names::janitor,
                  [own = config.retention, postgres = config.postgres](caf::local_actor& parent) {
                    return parent.spawn<caf::detached>(
                        janitor, own, std::make_shared<pg_janitor_store>(postgres, own.keep));
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
      child_of(actor_names::lease_reaper,
               [own = config.reaper, postgres = config.postgres](caf::local_actor& parent) {
                 return parent.spawn<caf::detached>(lease_reaper, own,
                                                    std::make_shared<pg_reaper_store>(postgres));
               }));
  for (size_t i = 0; i < config.delivery.result_writers; ++i)
    tree.push_back(result_writer_spec(config, i));
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
  const auto& roles = parts.config.roles;
  // Whoever fills the tables may also clean them; of many processes one does.
  if (roles.deliver || roles.ingest)
    tree.push_back(janitor_spec(parts.config));
  if (roles.deliver || roles.http)
    tree.push_back(operation_runner_spec(parts.config));
  if (roles.http)
    for (size_t i = 0; i < parts.config.operators.desks; ++i)
      tree.push_back(operator_desk_spec(parts, i));
  if (roles.deliver)
    add_delivery(parts, tree);
  if (roles.ingest)
    add_ingest(parts, tree);
  return tree;
}

} // namespace notify

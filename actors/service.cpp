#include "actors/service.hpp"

#include "actors/service_tree.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"
#include "persistence/migrator.hpp"
#include "persistence/partition_ledger.hpp"
#include "persistence/session.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/atom.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <utility>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// To the actor that adds one row to the audit log.
using write_now = caf::atom_constant<caf::atom("writenow")>;

/// Set once by the root supervisor's end. Shared, because that may come after the service's own.
struct ending {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  caf::error reason;
};

caf::error invalid(const std::string& what) {
  return caf::make_error(ec::invalid_config, what);
}

/// Every route must lead to a template that exists.
caf::error check_routes(const routing_table& routes, const template_set& templates) {
  for (const auto& [event_type, list] : routes.routes())
    for (const auto& x : list)
      if (!templates.contains(x.template_key))
        return invalid("the route of " + event_type + " to " + x.channel + " names the template \""
                       + x.template_key + "\", which is not in service.templates-folder");
  return {};
}

/// The connections of a running mail client cannot become more.
caf::error check_pool(const std::string& channel,
                      const std::map<std::string, channel_config>& running, size_t slots) {
  auto entry = running.find(channel);
  if (entry == running.end() || entry->second.provider != "smtp"
      || slots <= entry->second.smtp.max_connections)
    return {};
  return invalid("channel-" + channel + ".slots (" + std::to_string(slots)
                 + ") must not exceed the " + std::to_string(entry->second.smtp.max_connections)
                 + " smtp-max-connections of the start; more need a restart");
}

std::string describe(const tune_channel& x) {
  std::ostringstream text;
  text << "slots " << x.slots << ", prefetch " << x.prefetch << ", concurrency " << x.concurrency
       << ", rate " << x.rate;
  return text.str();
}

caf::error check_schema(const postgres_config& config) {
  auto state = schema_state(config);
  if (!state)
    return state.error();
  if (state->version < state->wanted)
    return caf::make_error(ec::storage_schema,
                           "the database has schema version " + std::to_string(state->version)
                               + ", this program needs " + std::to_string(state->wanted)
                               + ": run 'notifyd migrate'");
  return {};
}

/// Tells a first start from lost offsets, whatever became of the group.
caf::error recall_partitions(const postgres_config& from, consumer_config& to) {
  auto ledger = read_ledger(from);
  if (!ledger)
    return ledger.error();
  for (const auto& x : *ledger)
    to.read_before.emplace(x.topic, x.partition);
  return {};
}

caf::expected<service_parts> load_parts(const service_config& config) {
  service_parts parts;
  parts.config = config;
  parts.owner = uuid::random();
  parts.dir = std::make_shared<directory>();
  parts.metrics = std::make_shared<service_metrics>(config.version);
  parts.config.postgres.observers = [metrics = parts.metrics](const std::string& role) {
    return metrics->session(role);
  };
  if (config.delivery.listen && (config.roles.ingest || config.roles.deliver))
    parts.signal = std::make_shared<job_signal>();
  auto routes = routing_table::load(config.routes_file);
  if (!routes)
    return routes.error();
  parts.routes = std::make_shared<const routing_table>(std::move(*routes));
  parts.tuning = std::make_shared<channel_tuning>(config.channels);
  parts.trace = tracer{config.tracing, parts.dir};
  auto templates = template_set::load(config.templates_folder);
  if (!templates)
    return templates.error();
  parts.templates = *templates;
  if (auto err = check_routes(*parts.routes.current(), **templates))
    return err;
  if (auto err = check_schema(config.postgres))
    return err;
  if (config.roles.ingest)
    if (auto err = recall_partitions(config.postgres, parts.config.kafka))
      return err;
  parts.io = std::make_shared<io_threads>(config.io_threads);
  return parts;
}

/// When the supervisor answered last. One look that came too late on a busy machine is no reason
/// to have the process killed.
class last_sign_of_life {
public:
  using clock = std::chrono::steady_clock;

  void seen() { at_ = clock::now().time_since_epoch().count(); }

  bool is_recent() const {
    return clock::now() - clock::time_point{clock::duration{at_.load()}} < 30s;
  }

private:
  std::atomic<clock::rep> at_{clock::now().time_since_epoch().count()};
};

health_report report_of(const service_config& config, const caf::expected<actor_tree>& tree,
                        last_sign_of_life& root) {
  health_report report;
  if (tree) {
    report = judge_health(config, *tree);
  } else {
    report.live = report.ready = false;
    report.checks.push_back({"inspector", false, render(tree.error())});
  }
  if (report.live)
    root.seen();
  report.live = report.live || root.is_recent();
  return report;
}

/// Until each supervisor has started its children: whoever comes through a port from then on finds
/// them. One that ends meanwhile, or a machine that is too busy, holds up nothing beyond
/// `deadline`.
void await_children(caf::scoped_actor& self, const supervisor_actor& parent,
                    std::chrono::steady_clock::time_point deadline) {
  auto left = std::max<caf::timespan>(deadline - std::chrono::steady_clock::now(), 1ms);
  child_list list;
  self->request(parent, caf::duration{left}, get_children{})
      .receive([&](child_list& x) { list = std::move(x); }, [](caf::error&) {});
  for (const auto& x : list.children)
    if (x.is_supervisor && x.handle)
      await_children(self, caf::actor_cast<supervisor_actor>(x.handle), deadline);
}

} // namespace

struct service::implementation {
  caf::actor_system& system;
  service_parts parts;
  std::shared_ptr<ending> end = std::make_shared<ending>();
  std::shared_ptr<last_sign_of_life> life = std::make_shared<last_sign_of_life>();
  supervisor_actor root{};
  bool stopping = false;
  std::atomic<int64_t> looked_at{0}; ///< Nanoseconds of the steady clock.

  implementation(caf::actor_system& in, service_parts with) : system(in), parts(std::move(with)) {}
};

caf::expected<std::unique_ptr<service>> service::start(caf::actor_system& system,
                                                       const service_config& config) {
  auto parts = load_parts(config);
  if (!parts)
    return parts.error();
  auto impl = std::make_unique<implementation>(system, std::move(*parts));
  supervisor_setup setup{"root", stop_order::reversed, config.supervision};
  impl->root = system.spawn(supervisor, setup, service_tree(impl->parts), impl->parts.dir);
  caf::actor_cast<caf::abstract_actor*>(impl->root)
      ->attach_functor([end = impl->end](const caf::error& reason) {
        std::lock_guard lock{end->mutex};
        end->over = true;
        end->reason = reason;
        end->changed.notify_all();
      });
  {
    caf::scoped_actor self{system};
    await_children(self, impl->root, std::chrono::steady_clock::now() + 10s);
  }
  log::info("service", "started", {{"instance", config.instance}});
  return std::unique_ptr<service>(new service(std::move(impl)));
}

caf::expected<std::vector<std::string>> service::reload(const service_config& next) {
  auto& parts = impl_->parts;
  auto routes = routing_table::load(next.routes_file);
  if (!routes)
    return routes.error();
  auto templates = template_set::load(next.templates_folder);
  if (!templates)
    return templates.error();
  if (auto err = check_routes(*routes, **templates))
    return err;
  for (const auto& [channel, settings] : next.channels)
    if (auto err = check_pool(channel, parts.config.channels, settings.slots))
      return err;
  std::vector<std::string> changes;
  // Before the routes that may lead to new ones.
  if (!(*templates)->same_as(*parts.templates.current())) {
    changes.emplace_back("templates");
    parts.templates.replace(*templates);
  }
  if (*routes != *parts.routes.current()) {
    changes.push_back("routes: " + std::to_string(routes->routes().size()) + " event types");
    parts.routes.replace(std::make_shared<const routing_table>(std::move(*routes)));
  }
  for (const auto& [channel, settings] : next.channels)
    if (parts.config.channels.contains(channel))
      tune(tuning_of(channel, settings), changes);
  return changes;
}

void service::tune(const tune_channel& x, std::vector<std::string>& changes) {
  auto& parts = impl_->parts;
  auto before = parts.tuning->of(x.channel);
  if (!parts.tuning->set(x))
    return;
  changes.push_back("channel-" + x.channel + ": " + describe(before) + " -> " + describe(x));
  // Those that are between two restarts begin with the new limits.
  if (auto dispatcher = parts.dir->dispatcher())
    caf::anon_send(dispatcher, x);
  if (auto client = parts.dir->provider_client(x.channel))
    caf::anon_send(client, x);
  if (auto pool = parts.dir->worker_pool(x.channel); pool && before.slots != x.slots)
    caf::anon_send(pool, resize_pool{x.slots});
}

void service::audit(audit_entry entry) {
  // A database that is away must not hold up whoever asks.
  auto writer = impl_->system.spawn<caf::detached>(
      [entry = std::move(entry),
       postgres = impl_->parts.config.postgres](caf::event_based_actor* self) -> caf::behavior {
        return {[=](write_now) {
          session database{postgres, "audit"};
          auto written = database.run([&] {
            write_audit(database.sql(), entry);
            return true;
          });
          if (!written)
            log::warning("service", "not in the audit log",
                         {{"action", entry.action}, {"error", render(written.error())}});
          self->quit();
        }};
      });
  caf::anon_send(writer, write_now::value);
}

service::service(std::unique_ptr<implementation> impl) : impl_(std::move(impl)) {}

service::~service() {
  stop();
  while (!wait(1min)) {
  }
  impl_->parts.dir->clear();
  impl_->parts.io->stop();
}

void service::stop() {
  if (std::exchange(impl_->stopping, true))
    return;
  log::info("service", "stopping");
  caf::anon_send_exit(impl_->root, caf::exit_reason::user_shutdown);
}

bool service::wait(caf::timespan limit) {
  std::unique_lock lock{impl_->end->mutex};
  return impl_->end->changed.wait_for(lock, limit, [this] { return impl_->end->over; });
}

caf::error service::failure() const {
  std::lock_guard lock{impl_->end->mutex};
  if (impl_->end->reason == caf::exit_reason::user_shutdown)
    return {};
  return impl_->end->reason;
}

void service::health(std::function<void(health_report)> done) {
  impl_->system.spawn([looker = impl_->parts.dir->inspector(), config = impl_->parts.config,
                       life = impl_->life, done = std::move(done)](caf::event_based_actor* self) {
    self->request(looker, caf::duration{2s}, get_actors{})
        .then([=](const actor_tree& tree) { done(report_of(config, tree, *life)); },
              [=](caf::error& err) { done(report_of(config, std::move(err), *life)); });
  });
}

std::string service::metrics_text() {
  // At most one look a second, however many ask.
  auto now = std::chrono::steady_clock::now();
  auto& last = impl_->looked_at;
  auto before = last.load();
  if (now.time_since_epoch().count() - before >= std::chrono::nanoseconds{1s}.count()
      && last.compare_exchange_strong(before, now.time_since_epoch().count()))
    impl_->system.spawn([looker = impl_->parts.dir->inspector(),
                         metrics = impl_->parts.metrics](caf::event_based_actor* self) {
      self->request(looker, caf::duration{2s}, get_actors{})
          .then([metrics](const actor_tree& tree) { metrics->show(tree); }, [](caf::error&) {});
    });
  return impl_->parts.metrics->text();
}

const metrics_ptr& service::metrics() const {
  return impl_->parts.metrics;
}

boost::asio::io_context& service::io() {
  return impl_->parts.io->context();
}

const directory_ptr& service::actors() const {
  return impl_->parts.dir;
}

const supervisor_actor& service::root() const {
  return impl_->root;
}

} // namespace notify

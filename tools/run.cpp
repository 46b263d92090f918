#include "actors/inspection.hpp"
#include "actors/service.hpp"
#include "http/api/mount.hpp"
#include "http/api/operator_routes.hpp"
#include "http/auth.hpp"
#include "http/server.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"
#include "tools/commands.hpp"
#include "tools/reload.hpp"
#include "tools/signal_watch.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr const char* component = "notifyd";

/// The child that the root waits for is what hangs, or waits for one below that does.
void add_children(caf::scoped_actor& self, const supervisor_actor& parent,
                  std::vector<std::string>& names) {
  child_list list;
  self->request(parent, caf::duration{500ms}, get_children{})
      .receive([&](child_list& x) { list = std::move(x); }, [](caf::error&) {});
  for (const auto& x : list.children) {
    if (!x.handle)
      continue;
    names.push_back(x.name);
    if (x.is_supervisor)
      add_children(self, caf::actor_cast<supervisor_actor>(x.handle), names);
  }
}

/// What a signal may reach at any time, from before the service exists until after it is gone.
class running_service {
public:
  explicit running_service(caf::actor_system& system) : system_(system) {}

  /// Stops it now, or as soon as it exists.
  void stop() {
    std::lock_guard guard{mutex_};
    stopping_ = true;
    if (http_)
      http_->stop({});
    if (service_)
      service_->stop();
  }

  /// Starts the service unless a stop came first.
  caf::error start(const service_config& config) {
    auto started = service::start(system_, config);
    if (!started)
      return started.error();
    std::lock_guard guard{mutex_};
    service_ = std::move(*started);
    if (stopping_)
      service_->stop();
    return caf::none;
  }

  /// Opens the HTTP port unless a stop came first.
  caf::error serve_http(const http_config& config, const service_config& about) {
    std::lock_guard guard{mutex_};
    if (stopping_)
      return caf::none;
    auto keeper = http::make_gatekeeper(config);
    if (!keeper)
      return keeper.error();
    http::router routes;
    routes.set_guard([keeper = *keeper](http::request& x, http::access needed) {
      return keeper->decide(x, needed);
    });
    http::mount_api(routes, parts_of_api(config, about));
    auto count = [metrics = service_->metrics()](const http::answered& x) {
      metrics->on_answer(x.route, x.method, x.status, x.seconds, x.bytes);
    };
    auto server = http::server::start(service_->io(), config, std::move(routes), std::move(count));
    if (!server)
      return server.error();
    http_ = std::move(*server);
    keeper_ = std::move(*keeper);
    return caf::none;
  }

  /// Reads the settings again, unless there is nothing that they could change.
  void reload(reloader& x) {
    std::lock_guard guard{mutex_};
    if (service_ && !stopping_)
      x.reload(*service_, keeper_.get());
    else
      log::warning(component, "the service does not run, settings not reloaded");
  }

  /// Opens the port for notifyctl unless a stop came first. It stays open during the stop: that is
  /// when one wants to see who still runs.
  caf::error serve_inspection(uint16_t port) {
    std::lock_guard guard{mutex_};
    if (stopping_)
      return caf::none;
    auto opened = inspection_port::open(system_, service_->actors(), port);
    if (!opened)
      return opened.error();
    inspection_ = std::move(*opened);
    return caf::none;
  }

  /// Blocks until the service has ended; the reason if it did not end by `stop`.
  caf::error wait() {
    while (!service_->wait(1min)) {
    }
    return service_->failure();
  }

  /// Takes everything down; nothing of it runs afterwards. Call it once.
  void close() {
    std::unique_lock lock{mutex_};
    stopping_ = true;
    auto server = std::move(http_);
    auto ended = std::move(service_);
    auto inspection = std::move(inspection_);
    lock.unlock();
    inspection.reset();
    // The service owns the threads that the server runs on.
    if (server) {
      std::promise<void> stopped;
      server->stop([&stopped] { stopped.set_value(); });
      stopped.get_future().wait();
      server.reset();
    }
    ended.reset();
  }

  /// Names the actors that have not ended, as far as they can be asked.
  void log_what_still_runs() {
    std::lock_guard guard{mutex_};
    std::vector<std::string> names;
    if (service_) {
      caf::scoped_actor self{system_};
      add_children(self, service_->root(), names);
    }
    for (const auto& name : names)
      log::error(component, "still runs", {{"actor", name}});
  }

private:
  http::api_parts parts_of_api(const http_config& config, const service_config& about) {
    http::api_parts parts{system_, service_->actors(), about.channels, {}, {}, {}};
    // The server is gone before the service is, see close().
    parts.health = [raw = service_.get()](std::function<void(health_report)> done) {
      raw->health(std::move(done));
    };
    parts.metrics = [raw = service_.get()] { return raw->metrics_text(); };
    parts.metrics_need_token = config.metrics_need_token;
    // An actor's silence is told as such, before the server gives up on the answer.
    parts.ask_timeout = config.answer_timeout * 4 / 5;
    parts.pauses = http::desk_pauses(parts);
    return parts;
  }

  caf::actor_system& system_;
  std::mutex mutex_;
  std::unique_ptr<service> service_;
  std::unique_ptr<http::server> http_;
  std::shared_ptr<http::gatekeeper> keeper_; ///< The server's. Null as long as there is none.
  std::unique_ptr<inspection_port> inspection_;
  bool stopping_ = false;
};

exit_code report(const caf::error& err, const std::string& what) {
  if (!err)
    return exit_code::ok;
  log::error(component, what, {{"reason", problem_text(err)}});
  return exit_code_for(err);
}

/// The part during which actors exist.
exit_code run_with(running_service& running, signal_watch& watch, const settings& config) {
  auto service = config.service();
  service.version = NOTIFYD_VERSION;
  auto code = report(running.start(service), "the service did not start");
  if (code == exit_code::ok) {
    if (service.roles.http)
      code = report(running.serve_http(config.http(), service), "the service did not start");
    if (code == exit_code::ok && config.inspection().port != 0)
      code =
          report(running.serve_inspection(config.inspection().port), "the service did not start");
    if (code != exit_code::ok)
      running.stop();
    auto failure = report(running.wait(), "the service failed");
    code = code == exit_code::ok ? failure : code;
  }
  watch.begin_deadline();
  running.close();
  return code;
}

} // namespace

exit_code run_command(settings& config, const arguments& args) {
  using std::chrono::milliseconds;
  log::configure(config.logging().level, config.logging().format);
  log::set_repeat_interval(
      std::chrono::duration_cast<milliseconds>(config.logging().repeat_interval));
  const auto& service = config.service();
  // Signals may come before the actor system exists, and threads inherit the blocked signals.
  std::mutex mutex;
  running_service* current = nullptr;
  bool stop_asked = false;
  reloader reloads{args, config};
  signal_watch watch{service.shutdown_timeout,
                     [&] {
                       log::info(component, "stopping");
                       std::lock_guard guard{mutex};
                       stop_asked = true;
                       if (current != nullptr)
                         current->stop();
                     },
                     [&] {
                       log::error(component, "service.shutdown-timeout is over: leaving what still "
                                             "runs; leases give its work to others");
                       std::lock_guard guard{mutex};
                       if (current != nullptr)
                         current->log_what_still_runs();
                     },
                     [&] {
                       // On a thread that ends: one that spawned an actor keeps CAF's logger, and
                       // the actor system's destructor waits for that.
                       std::thread{[&] {
                         std::lock_guard guard{mutex};
                         if (current != nullptr)
                           current->reload(reloads);
                       }}.join();
                     }};
  log::info(component, "starting", {{"instance", service.instance}, {"version", NOTIFYD_VERSION}});
  exit_code code = exit_code::ok;
  {
    if (config.inspection().port != 0)
      enable_inspection(config);
    caf::actor_system system{config};
    running_service running{system};
    {
      std::lock_guard guard{mutex};
      current = &running;
      if (stop_asked)
        running.stop();
    }
    code = run_with(running, watch, config);
    std::lock_guard guard{mutex};
    current = nullptr;
  }
  log::info(component, "stopped", {{"exit_code", static_cast<int>(code)}});
  return code;
}

} // namespace notify

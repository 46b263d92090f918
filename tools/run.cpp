#include "actors/providers/io_threads.hpp"
#include "actors/system.hpp"
#include "http/health.hpp"
#include "http/server.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"
#include "tools/commands.hpp"
#include "tools/signal_watch.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr const char* component = "notifyd";

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
  caf::error serve_http(const service_config& config) {
    std::lock_guard guard{mutex_};
    if (stopping_ || !config.roles.http)
      return caf::none;
    http::router routes;
    http::add_health_routes(routes, [this](const std::function<void(health_report)>& done) {
      done(service_->health());
    });
    auto server = http::server::start(io_.context(), config.http, std::move(routes));
    if (!server)
      return server.error();
    http_ = std::move(*server);
    return caf::none;
  }

  /// Blocks until the service has ended; the reason if it did not end by `stop`.
  caf::error wait() {
    while (!service_->wait(1min)) {
    }
    return service_->failure();
  }

  /// Takes everything down in order; nothing of it runs afterwards.
  void close() {
    std::unique_lock lock{mutex_};
    stopping_ = true;
    auto server = std::move(http_);
    auto ended = std::move(service_);
    lock.unlock();
    if (server) {
      std::promise<void> stopped;
      server->stop([&stopped] { stopped.set_value(); });
      stopped.get_future().wait();
    }
    io_.stop();
    ended.reset();
  }

  void log_what_still_runs() const {
    log::error(
        component, "the shutdown deadline is over; leaving what still runs behind",
        {{"actors", system_.registry().running()}, {"detached_actors", system_.detached_actors()}});
  }

private:
  caf::actor_system& system_;
  std::mutex mutex_;
  io_threads io_{1};
  std::unique_ptr<service> service_;
  std::unique_ptr<http::server> http_;
  bool stopping_ = false;
};

exit_code report(const caf::error& err, const std::string& what) {
  if (!err)
    return exit_code::ok;
  log::error(component, what, {{"reason", problem_text(err)}});
  return exit_code_for(err);
}

/// The part during which actors exist.
exit_code run_with(running_service& running, signal_watch& watch, const service_config& config) {
  auto code = report(running.start(config), "the service did not start");
  if (code == exit_code::ok) {
    code = report(running.serve_http(config), "the service did not start");
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

exit_code run_command(settings& config) {
  log::configure(config.logging().level, config.logging().format);
  const auto& service = config.service();
  // Signals may come before the actor system exists, and threads inherit the blocked signals.
  std::mutex mutex;
  running_service* current = nullptr;
  bool stop_asked = false;
  signal_watch watch{service.shutdown_timeout,
                     [&] {
                       log::info(component, "stopping");
                       std::lock_guard guard{mutex};
                       stop_asked = true;
                       if (current != nullptr)
                         current->stop();
                     },
                     [&] {
                       std::lock_guard guard{mutex};
                       if (current != nullptr)
                         current->log_what_still_runs();
                     }};
  log::info(component, "starting", {{"instance", service.instance}, {"version", NOTIFYD_VERSION}});
  exit_code code = exit_code::ok;
  {
    caf::actor_system system{config};
    running_service running{system};
    {
      std::lock_guard guard{mutex};
      current = &running;
      if (stop_asked)
        running.stop();
    }
    code = run_with(running, watch, service);
    std::lock_guard guard{mutex};
    current = nullptr;
  }
  log::info(component, "stopped", {{"exit_code", static_cast<int>(code)}});
  return code;
}

} // namespace notify

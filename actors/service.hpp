#pragma once

#include "actors/directory.hpp"
#include "actors/metrics.hpp"
#include "actors/service_config.hpp"
#include "messages/actors.hpp"
#include "messages/health.hpp"
#include "persistence/audit_log.hpp"

#include <caf/actor_system.hpp>
#include <caf/expected.hpp>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace notify {

/// The running service: checks its settings, builds the actor tree, stops it in order.
///
/// Shutdown goes consumer, inbox writers, dispatcher (gives back what no worker has started, waits
/// for the sends in flight), workers, provider clients, result writers, reaper: everything before
/// an actor in this list has ended when that actor ends, so no work is stranded between two.
class service {
public:
  /// Reads routes and templates, checks the schema, starts the tree. The error names what is wrong
  /// and what to do.
  static caf::expected<std::unique_ptr<service>> start(caf::actor_system& system,
                                                       const service_config& config);

  /// Stops and waits without a limit; use `wait` with a limit before.
  ~service();

  service(const service&) = delete;
  service& operator=(const service&) = delete;

  /// Begins the orderly stop. Does not wait.
  void stop();

  /// Waits until the tree has ended, by `stop` or by itself. False if it still runs after `limit`.
  bool wait(caf::timespan limit);

  /// Goes over to the routes, slots, prefetch, concurrency and rates of `next`, whose other parts
  /// do not count. One line for each thing that changed; an error if nothing was changed, because
  /// the routes are not valid. Does not wait; call it from one thread at a time, which must end
  /// before the actor system does.
  caf::expected<std::vector<std::string>> reload(const service_config& next);

  /// Adds a row to the audit log, some time later. A failure is only logged.
  void audit(audit_entry entry);

  /// Why the tree ended by itself; no error after an orderly stop, or while it runs.
  caf::error failure() const;

  /// Asks the tree how it is and calls `done` with the answer on some thread. Never blocks.
  void health(std::function<void(health_report)> done);

  /// Everything that Prometheus may know, as text. Never blocks: the look at the actors that it
  /// asks for is part of the next one.
  std::string metrics_text();

  /// Where parts outside of the tree count.
  const metrics_ptr& metrics() const;

  /// The threads for network I/O, for whoever serves HTTP beside the tree.
  boost::asio::io_context& io();

  const directory_ptr& actors() const;
  const supervisor_actor& root() const;

private:
  struct implementation;

  explicit service(std::unique_ptr<implementation> impl);

  void tune(const tune_channel& x, std::vector<std::string>& changes);

  std::unique_ptr<implementation> impl_;
};

/// Pure: what the statuses of the tree mean for a load balancer.
health_report judge_health(const service_config& config, const actor_tree& tree);

} // namespace notify

#pragma once

#include "messages/actors.hpp"

#include <caf/actor_control_block.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// Where the actors of one process find each other. A restarted child is a new actor with a new
/// handle, so nobody keeps a handle across messages: everyone looks it up for each use. Written by
/// supervisors only. Thread-safe.
class directory {
public:
  /// Names `actor`, replacing what was there.
  void put(const std::string& name, caf::strong_actor_ptr actor);

  /// Forgets `name` if it still means `actor`.
  void erase(const std::string& name, const caf::strong_actor_ptr& actor);

  /// Forgets everything; breaks the cycles between actors at the end.
  void clear();

  // Each of these is null while the actor is between two restarts or does not run here.
  consumer_actor consumer() const;
  job_dispatcher_actor dispatcher() const;
  provider_client_actor provider_client(std::string_view channel) const;
  supervisor_actor worker_pool(std::string_view channel) const;
  result_writer_actor result_writer(size_t index) const;
  lease_reaper_actor lease_reaper() const;
  janitor_actor janitor() const;
  inspector_actor inspector() const;
  dead_letter_relay_actor dead_letter_relay() const;
  stats_collector_actor stats_collector() const;
  job_listener_actor job_listener() const;
  trace_exporter_actor trace_exporter() const;

  /// The inbox writers that are there right now.
  std::vector<inbox_writer_actor> inbox_writers() const;

  /// Whoever has this name, for interfaces that this header does not know.
  caf::strong_actor_ptr find(std::string_view name) const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, caf::strong_actor_ptr, std::less<>> actors_;
};

using directory_ptr = std::shared_ptr<directory>;

/// The names under which supervisors register their children.
namespace actor_names {

inline constexpr const char* consumer = "consumer";
inline constexpr const char* dispatcher = "job-dispatcher";
inline constexpr const char* lease_reaper = "lease-reaper";
inline constexpr const char* janitor = "janitor";
inline constexpr const char* inspector = "inspector";
inline constexpr const char* dead_letter_relay = "dead-letter-relay";
inline constexpr const char* stats_collector = "stats-collector";
inline constexpr const char* job_listener = "job-listener";
inline constexpr const char* trace_exporter = "trace-exporter";

std::string inbox_writer(size_t index);
std::string result_writer(size_t index);
std::string provider_client(std::string_view channel);
std::string worker_pool(std::string_view channel);
std::string delivery_worker(std::string_view channel, size_t slot);

} // namespace actor_names

} // namespace notify

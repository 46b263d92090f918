#include "actors/directory.hpp"

#include <caf/actor_cast.hpp>

namespace notify {

namespace actor_names {

std::string inbox_writer(size_t index) {
  return "inbox-writer-" + std::to_string(index);
}

std::string result_writer(size_t index) {
  return "result-writer-" + std::to_string(index);
}

std::string provider_client(std::string_view channel) {
  return "provider-client-" + std::string{channel};
}

std::string worker_pool(std::string_view channel) {
  return "workers-" + std::string{channel};
}

std::string delivery_worker(std::string_view channel, size_t slot) {
  return "delivery-worker-" + std::string{channel} + "-" + std::to_string(slot);
}

} // namespace actor_names

void directory::put(const std::string& name, caf::strong_actor_ptr actor) {
  std::lock_guard lock{mutex_};
  actors_[name] = std::move(actor);
}

void directory::erase(const std::string& name, const caf::strong_actor_ptr& actor) {
  std::lock_guard lock{mutex_};
  auto entry = actors_.find(name);
  if (entry != actors_.end() && entry->second == actor)
    actors_.erase(entry);
}

void directory::clear() {
  std::map<std::string, caf::strong_actor_ptr, std::less<>> gone;
  std::lock_guard lock{mutex_};
  gone.swap(actors_);
}

caf::strong_actor_ptr directory::find(std::string_view name) const {
  std::lock_guard lock{mutex_};
  auto entry = actors_.find(name);
  return entry == actors_.end() ? nullptr : entry->second;
}

// CAF cannot check these casts; they are safe because each name is given to one kind of actor, by
// the tree in service_tree.cpp only.

consumer_actor directory::consumer() const {
  return caf::actor_cast<consumer_actor>(find(actor_names::consumer));
}

job_dispatcher_actor directory::dispatcher() const {
  return caf::actor_cast<job_dispatcher_actor>(find(actor_names::dispatcher));
}

provider_client_actor directory::provider_client(std::string_view channel) const {
  return caf::actor_cast<provider_client_actor>(find(actor_names::provider_client(channel)));
}

supervisor_actor directory::worker_pool(std::string_view channel) const {
  return caf::actor_cast<supervisor_actor>(find(actor_names::worker_pool(channel)));
}

result_writer_actor directory::result_writer(size_t index) const {
  return caf::actor_cast<result_writer_actor>(find(actor_names::result_writer(index)));
}

lease_reaper_actor directory::lease_reaper() const {
  return caf::actor_cast<lease_reaper_actor>(find(actor_names::lease_reaper));
}

janitor_actor directory::janitor() const {
  return caf::actor_cast<janitor_actor>(find(actor_names::janitor));
}

inspector_actor directory::inspector() const {
  return caf::actor_cast<inspector_actor>(find(actor_names::inspector));
}

dead_letter_relay_actor directory::dead_letter_relay() const {
  return caf::actor_cast<dead_letter_relay_actor>(find(actor_names::dead_letter_relay));
}

stats_collector_actor directory::stats_collector() const {
  return caf::actor_cast<stats_collector_actor>(find(actor_names::stats_collector));
}

job_listener_actor directory::job_listener() const {
  return caf::actor_cast<job_listener_actor>(find(actor_names::job_listener));
}

trace_exporter_actor directory::trace_exporter() const {
  return caf::actor_cast<trace_exporter_actor>(find(actor_names::trace_exporter));
}

std::vector<inbox_writer_actor> directory::inbox_writers() const {
  std::vector<inbox_writer_actor> result;
  std::lock_guard lock{mutex_};
  auto prefix = std::string{"inbox-writer-"};
  for (auto i = actors_.lower_bound(prefix);
       i != actors_.end() && i->first.compare(0, prefix.size(), prefix) == 0; ++i)
    result.push_back(caf::actor_cast<inbox_writer_actor>(i->second));
  return result;
}

} // namespace notify

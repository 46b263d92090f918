#include "actors/supervisor.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace notify {

supervisor_state::~supervisor_state() {
  for (auto& x : children)
    if (x.handle) {
      dir->erase(x.spec.name, x.handle);
      caf::anon_send_exit(x.handle, caf::exit_reason::kill);
    }
}

void supervisor_state::start(child& x) {
  ++x.incarnation;
  x.started = self->clock().now();
  x.retiring = false;
  x.handle = x.spec.start(*self);
  dir->put(x.spec.name, x.handle);
  self->monitor(x.handle);
}

void supervisor_state::on_restart(const restart_child& timer) {
  if (timer.child >= children.size())
    return; // The pool became smaller meanwhile.
  auto& x = children.at(timer.child);
  if (stopping || x.handle || x.retiring || x.incarnation != timer.incarnation)
    return;
  ++restarts;
  start(x);
  log::info(setup.name, "child restarted",
            {{"child", x.spec.name}, {"restarts", x.incarnation - 1}});
}

void supervisor_state::on_down(const caf::down_msg& down) {
  auto dead = std::find_if(children.begin(), children.end(),
                           [&](auto& x) { return x.handle && x.handle->address() == down.source; });
  if (dead == children.end())
    return;
  dir->erase(dead->spec.name, dead->handle);
  dead->handle = nullptr;
  if (stopping) {
    stop_next();
    return;
  }
  if (dead->retiring) {
    on_retired(*dead);
    return;
  }
  last_error = dead->spec.name + ": " + render(down.reason);
  log::error(setup.name, "child ended",
             {{"child", dead->spec.name}, {"reason", render(down.reason)}});
  if (down.reason == ec::kafka_fatal) {
    // Another process took our place in the group or the client is broken for good: a new actor
    // in this process would only fight on.
    stop(down.reason);
    return;
  }
  if (over_budget()) {
    stop(caf::make_error(ec::too_many_restarts, last_error));
    return;
  }
  schedule_restart(*dead);
}

void supervisor_state::resize(const resize_pool& x) {
  if (stopping)
    return;
  if (!setup.make_child) {
    log::error(setup.name, "not a pool, its size stays", {{"asked", x.size}});
    return;
  }
  wanted = x.size;
  for (size_t i = 0; i < children.size(); ++i) {
    auto& entry = children[i];
    if (i < wanted && entry.retiring && !entry.handle)
      start(entry); // Gone, and kept only for one behind it that is still busy.
    else if (i >= wanted && !std::exchange(entry.retiring, true) && entry.handle)
      caf::anon_send(caf::actor_cast<caf::actor>(entry.handle), retire_worker{});
  }
  trim();
  while (children.size() < wanted) {
    children.push_back(
        {setup.make_child(children.size()), nullptr, setup.policy.first_delay, 0, {}});
    start(children.back());
  }
}

void supervisor_state::on_retired(child& x) {
  if (static_cast<size_t>(&x - children.data()) < wanted)
    start(x); // The pool grew again while it had a job.
  else
    trim();
}

void supervisor_state::trim() {
  while (children.size() > wanted && !children.back().handle)
    children.pop_back();
}

bool supervisor_state::over_budget() {
  auto now = self->clock().now();
  crashes.push_back(now);
  while (now - crashes.front() > setup.policy.window)
    crashes.pop_front();
  return crashes.size() > setup.policy.max_crashes;
}

void supervisor_state::schedule_restart(child& x) {
  if (self->clock().now() - x.started >= setup.policy.stable_after)
    x.delay = setup.policy.first_delay;
  auto index = static_cast<uint32_t>(&x - children.data());
  self->delayed_send(self, x.delay, restart_child{index, x.incarnation});
  x.delay = std::min(x.delay * 2, setup.policy.max_delay);
}

void supervisor_state::stop(const caf::error& reason) {
  if (stopping)
    return;
  stopping = true;
  stop_reason = reason;
  if (setup.order == stop_order::together)
    for (auto& x : children)
      if (x.handle)
        end_child(x);
  stop_next();
}

void supervisor_state::stop_next() {
  auto alive = std::find_if(children.rbegin(), children.rend(), [](auto& x) { return x.handle; });
  if (alive == children.rend()) {
    self->quit(stop_reason);
    return;
  }
  if (setup.order == stop_order::reversed)
    end_child(*alive);
}

void supervisor_state::end_child(child& x) {
  self->send_exit(x.handle, caf::exit_reason::user_shutdown);
  auto index = static_cast<uint32_t>(&x - children.data());
  self->delayed_send(self, x.spec.stop_timeout, stop_timeout{index});
}

void supervisor_state::on_stop_timeout(const stop_timeout& timer) {
  if (timer.child >= children.size())
    return;
  auto& x = children[timer.child];
  if (!stopping || !x.handle)
    return;
  // It may hang in a blocking call, where nothing reaches it. Its work is safe in the database.
  log::warning(setup.name, "child did not stop in time, left behind", {{"child", x.spec.name}});
  self->send_exit(x.handle, caf::exit_reason::kill);
  dir->erase(x.spec.name, x.handle);
  x.handle = nullptr;
  stop_next();
}

child_list supervisor_state::children_list() const {
  child_list result;
  for (const auto& x : children)
    result.children.push_back({x.spec.name, x.incarnation - 1, x.spec.is_supervisor, x.handle});
  return result;
}

actor_status supervisor_state::status() const {
  actor_status result;
  result.name = setup.name;
  result.state = stopping ? "stopping" : "running";
  result.mailbox = self->mailbox().size();
  result.processed = restarts;
  result.last_error = last_error;
  result.counters["children"] = static_cast<int64_t>(children.size());
  result.counters["restarts"] = static_cast<int64_t>(restarts);
  return result;
}

supervisor_actor::behavior_type
supervisor(supervisor_actor::stateful_pointer<supervisor_state> self, const supervisor_setup& setup,
           const std::vector<child_spec>& children, const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.setup = setup;
  state.dir = dir;
  self->set_down_handler([self](caf::down_msg& x) { self->state.on_down(x); });
  self->set_exit_handler([self](caf::exit_msg& x) { self->state.stop(x.reason); });
  for (const auto& spec : children)
    state.children.push_back({spec, nullptr, setup.policy.first_delay, 0, {}});
  state.wanted = children.size();
  for (auto& x : state.children)
    state.start(x);
  return {
      [self](get_children) { return self->state.children_list(); },
      [self](const resize_pool& x) { self->state.resize(x); },
      [self](const restart_child& x) { self->state.on_restart(x); },
      [self](const stop_timeout& x) { self->state.on_stop_timeout(x); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify

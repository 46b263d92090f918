#include "actors/inspector.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>

namespace notify {

namespace {

/// Overtakes what already waits in a busy actor's mailbox.
constexpr auto high = caf::message_priority::high;

/// The plain duration on purpose: the overloads for std::chrono forget the priority.
caf::duration as_duration(caf::timespan x) {
  return caf::duration{std::chrono::duration_cast<std::chrono::milliseconds>(x)};
}

} // namespace

caf::result<actor_tree> inspector_state::look() {
  ++rounds;
  auto round = std::make_shared<survey>();
  round->begun = self->clock().now();
  round->promise = self->make_response_promise<actor_tree>();
  child_info info{"root", 0, true, caf::actor_cast<caf::strong_actor_ptr>(root)};
  ask_status(round, {}, info);
  ask_children(round, {}, root);
  return round->promise;
}

void inspector_state::ask_status(const survey_ptr& round, const std::vector<uint32_t>& path,
                                 const child_info& child) {
  auto index = round->entries.size();
  actor_line line;
  line.depth = static_cast<uint32_t>(path.size());
  line.restarts = child.restarts;
  line.status.name = child.name;
  line.status.state = child.handle ? "busy" : "waiting for its restart";
  round->entries.push_back({path, std::move(line)});
  if (!child.handle)
    return;
  ++round->open;
  auto handle = caf::actor_cast<status_actor>(child.handle);
  self->request<high>(handle, as_duration(config.answer_timeout), get_status{})
      .then(
          [this, round, index, given = child.name](actor_status& x) {
            auto& answered = round->entries[index].line;
            answered.answered = true;
            answered.status = std::move(x);
            answered.status.name = given;
            settle(round);
          },
          [this, round, index](caf::error& err) {
            round->entries[index].line.status.last_error = render(err);
            settle(round);
          });
}

void inspector_state::ask_children(const survey_ptr& round, const std::vector<uint32_t>& path,
                                   const supervisor_actor& parent) {
  ++round->open;
  self->request<high>(parent, as_duration(config.answer_timeout), get_children{})
      .then(
          [this, round, path](const child_list& x) {
            got_children(round, path, x);
            settle(round);
          },
          [this, round](caf::error&) { settle(round); });
}

void inspector_state::got_children(const survey_ptr& round, const std::vector<uint32_t>& path,
                                   const child_list& list) {
  auto shown = std::min(list.children.size(), config.largest_listing);
  for (uint32_t i = 0; i < shown; ++i) {
    const auto& child = list.children[i];
    auto here = path;
    here.push_back(i);
    ask_status(round, here, child);
    if (child.is_supervisor && child.handle)
      ask_children(round, here, caf::actor_cast<supervisor_actor>(child.handle));
  }
}

void inspector_state::settle(const survey_ptr& round) {
  if (--round->open > 0)
    return;
  std::sort(round->entries.begin(), round->entries.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  note_silence(*round);
  actor_tree tree;
  for (auto& entry : round->entries)
    tree.lines.push_back(std::move(entry.line));
  round->promise.deliver(std::move(tree));
}

void inspector_state::note_silence(survey& round) {
  using std::chrono::milliseconds;
  auto now = self->clock().now();
  auto before = std::move(silent_since);
  silent_since.clear(); // Who answered, or is no more, is forgotten.
  for (auto& entry : round.entries) {
    if (entry.line.answered)
      continue;
    auto known = before.find(entry.line.status.name);
    auto since = known != before.end() ? known->second : round.begun;
    silent_since.emplace(entry.line.status.name, since);
    entry.line.silent_ms = std::chrono::duration_cast<milliseconds>(now - since).count();
  }
}

actor_status inspector_state::status() const {
  actor_status x;
  x.name = name;
  x.state = "running";
  x.mailbox = self->mailbox().size();
  x.processed = rounds;
  return x;
}

inspector_actor::behavior_type inspector(inspector_actor::stateful_pointer<inspector_state> self,
                                         const inspector_config& config,
                                         const supervisor_actor& root) {
  report_crashes(self);
  self->state.config = config;
  self->state.root = root;
  return {
      [self](get_actors) { return self->state.look(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify

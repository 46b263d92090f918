#include "actors/operator_desk.hpp"

#include "actors/crash_report.hpp"
#include "actors/dead_letter_desk.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <vector>

namespace notify {

namespace {

/// What a person got wrong is not a failure of ours.
bool is_their_fault(const caf::error& err) {
  return err == ec::not_found || err == ec::wrong_state || err == ec::invalid_request;
}

} // namespace

template <class Answer>
caf::result<Answer> operator_desk_state::serve(const std::function<caf::expected<Answer>()>& work) {
  if (self->mailbox().size() > config.most_waiting) {
    ++refused;
    return caf::make_error(ec::storage_unavailable, std::string{"too many questions wait"});
  }
  auto answer = work();
  ++answered;
  if (answer)
    return std::move(*answer);
  if (!is_their_fault(answer.error())) {
    ++failed;
    last_error = render(answer.error());
    log::warning(config.name, "a question could not be answered", {{"error", last_error}});
  }
  return answer.error();
}

caf::expected<operation_line> operator_desk_state::start(const start_operation& x) {
  auto started = stores.acts->start(x);
  if (!started)
    return started;
  log::info(config.name, "operation stored",
            {{"operation", started->id}, {"kind", to_string(x.kind)}, {"by", x.by}});
  auto runner = caf::actor_cast<operation_runner_actor>(dir->find(actor_names::operation_runner));
  if (runner)
    self->send(runner, operation_stored{started->id});
  return started;
}

caf::expected<channel_pause_set> operator_desk_state::set_paused(const pause_channel& x) {
  if (config.channels.count(x.channel) == 0)
    return caf::make_error(ec::not_found, std::string{"there is no channel of this name"});
  auto done = stores.acts->set_paused(x);
  if (!done)
    return done;
  if (done->changed)
    log::info(config.name, x.paused ? "channel paused" : "channel resumed",
              {{"channel", x.channel}, {"by", x.by}});
  // It holds already, in all processes; the one in here need not find out by its next claim.
  if (auto dispatcher = dir->dispatcher())
    caf::anon_send(dispatcher, set_channel_pause{x.channel, x.paused, x.by});
  return done;
}

caf::expected<dead_letter_page> operator_desk_state::list_letters(const list_dead_letters& x) {
  return notify::list_letters(*stores.letters, x);
}

caf::expected<dead_letter_story> operator_desk_state::letter(int64_t id) {
  return show_letter(*stores.letters, id, config.most_letter_bytes, config.most_letter_headers);
}

caf::expected<dead_letter_replayed> operator_desk_state::replay(const replay_dead_letter& x) {
  // Its effects are committed with its event; that somebody asked for them is on record before.
  if (!x.dry_run)
    if (auto err = stores.acts->announce(x.by, "dead-letter.replay",
                                         "dead letter " + std::to_string(x.id), "{}"))
      return err;
  return replay_letter(*stores.letters, *stores.inbox, rules, x.id, x.dry_run);
}

actor_status operator_desk_state::status() const {
  actor_status x;
  x.name = config.name;
  x.state = "idle";
  x.mailbox = self->mailbox().size();
  x.processed = answered;
  x.last_error = last_error;
  x.counters = {{"refused", static_cast<int64_t>(refused)},
                {"failed", static_cast<int64_t>(failed)}};
  return x;
}

operator_desk_actor::behavior_type
operator_desk(operator_desk_actor::stateful_pointer<operator_desk_state> self,
              const operator_desk_config& config, const operator_desk_stores& stores,
              const replay_rules& rules, const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.stores = stores;
  state.rules = rules;
  state.dir = dir;
  auto* desk = &state;
  return {
      [desk](const list_notifications& x) {
        return desk->serve<notification_page>([&] { return desk->stores.reads->list(x); });
      },
      [desk](const get_notification& x) {
        return desk->serve<notification_story>(
            [&] { return desk->stores.reads->notification(x.id); });
      },
      [desk](const get_event& x) {
        return desk->serve<event_story>([&] { return desk->stores.reads->event(x.event_id); });
      },
      [desk](const list_operations& x) {
        return desk->serve<operation_page>([&] { return desk->stores.reads->operations(x); });
      },
      [desk](const get_operation& x) {
        return desk->serve<operation_line>([&] { return desk->stores.reads->operation(x.id); });
      },
      [desk](const list_skipped& x) {
        return desk->serve<skipped_page>([&] { return desk->stores.reads->skipped(x); });
      },
      [desk](const list_dead_letters& x) {
        return desk->serve<dead_letter_page>([&] { return desk->list_letters(x); });
      },
      [desk](const get_dead_letter& x) {
        return desk->serve<dead_letter_story>([&] { return desk->letter(x.id); });
      },
      [desk](const list_audit& x) {
        return desk->serve<audit_page>([&] { return desk->stores.reads->audit(x); });
      },
      [desk](get_pauses) {
        return desk->serve<pause_list>([&] { return desk->stores.reads->pauses(); });
      },
      [desk](const retry_notification& x) {
        return desk->serve<notification_acted>([&] { return desk->stores.acts->retry(x); });
      },
      [desk](const cancel_notification& x) {
        return desk->serve<notification_acted>([&] { return desk->stores.acts->cancel(x); });
      },
      [desk](const preview_operation& x) {
        return desk->serve<operation_preview>([&] { return desk->stores.reads->preview(x); });
      },
      [desk](const start_operation& x) {
        return desk->serve<operation_line>([&] { return desk->start(x); });
      },
      [desk](const cancel_operation& x) {
        return desk->serve<operation_line>([&] { return desk->stores.acts->cancel(x); });
      },
      [desk](const replay_dead_letter& x) {
        return desk->serve<dead_letter_replayed>([&] { return desk->replay(x); });
      },
      [desk](const pause_channel& x) {
        return desk->serve<channel_pause_set>([&] { return desk->set_paused(x); });
      },
      [desk](get_status) { return desk->status(); },
      [](const crash_now& x) { crash(x); },
  };
}

operator_desk_actor operator_desks::next() {
  std::vector<caf::strong_actor_ptr> there;
  for (size_t i = 0; i < most; ++i)
    if (auto desk = dir_->find(actor_names::operator_desk(i)))
      there.push_back(std::move(desk));
  if (there.empty())
    return {};
  return caf::actor_cast<operator_desk_actor>(there[turn_.fetch_add(1) % there.size()]);
}

std::string actor_names::operator_desk(size_t index) {
  return "operator-desk-" + std::to_string(index);
}

} // namespace notify

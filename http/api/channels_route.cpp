#include "http/api/channels_route.hpp"

#include "http/api/ask.hpp"
#include "http/api/json_text.hpp"
#include "http/public_text.hpp"
#include "http/query.hpp"

#include <caf/actor_cast.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <mutex>

namespace notify::http {

namespace {

using boost::json::value;

/// A counter of an actor that may not have answered; null if it is not known.
value counter_of(const actor_status* status, const std::string& name) {
  if (status == nullptr)
    return nullptr;
  auto found = status->counters.find(name);
  return found == status->counters.end() ? value{} : value(found->second);
}

/// A limit: what the actor goes by, since it may have been changed, or else the setting.
value limit_of(const actor_status* status, const std::string& name, size_t configured) {
  auto live = counter_of(status, name);
  return live.is_null() ? value(configured) : live;
}

value rate_of(const actor_status* status, const std::string& name, double configured) {
  auto live = counter_of(status, name);
  return live.is_null() ? value(configured) : value(static_cast<double>(live.as_int64()) / 1000);
}

/// The states of a provider client's breaker, as its status tells them.
std::string breaker_of(const actor_status* client) {
  if (client == nullptr)
    return "unknown";
  auto open = counter_of(client, "breaker_open");
  if (open.is_null())
    return "unknown";
  if (open.as_int64() == 0)
    return "closed";
  return client->state == "breaker half open" ? "half_open" : "open";
}

void add_pause(boost::json::object& to, const std::string& channel,
               const std::optional<std::vector<channel_pause>>& pauses) {
  to["paused"] = nullptr;
  to["paused_at"] = nullptr;
  to["paused_by"] = nullptr;
  if (!pauses)
    return;
  auto found = std::find_if(pauses->begin(), pauses->end(),
                            [&](const auto& x) { return x.channel == channel; });
  to["paused"] = found != pauses->end();
  if (found == pauses->end())
    return;
  to["paused_at"] = json_time(found->since_us);
  to["paused_by"] = found->by;
}

boost::json::object channel_json(const std::string& name, const channel_config& config,
                                 const channels_view& view) {
  const auto* dispatcher = view.dispatcher ? &*view.dispatcher : nullptr;
  auto found = view.clients.find(name);
  const auto* client = found == view.clients.end() ? nullptr : &found->second;
  boost::json::object x;
  x["name"] = name;
  x["provider"] = config.provider;
  x["slots"] = limit_of(dispatcher, "slots_" + name, config.slots);
  x["idle"] = counter_of(dispatcher, "idle_" + name);
  x["busy"] = counter_of(dispatcher, "busy_" + name);
  x["waiting"] = counter_of(dispatcher, "waiting_" + name);
  x["prefetch"] = limit_of(dispatcher, "prefetch_" + name, config.prefetch);
  auto concurrency = config.concurrency == 0 ? config.slots : config.concurrency;
  x["concurrency"] = limit_of(client, "concurrency", concurrency);
  x["rate"] = rate_of(dispatcher, "rate_per_1000_s_" + name, config.rate);
  x["in_flight"] = counter_of(client, "in_flight");
  x["breaker"] = breaker_of(client);
  x["breaker_openings"] = counter_of(client, "breaker_openings");
  x["state"] = client == nullptr ? value{} : value(public_text(client->state));
  x["last_error"] = client == nullptr ? value{} : json_text(public_text(client->last_error));
  add_pause(x, name, view.pauses);
  return x;
}

/// Gathers the answers of several actors; answers when the last one is in.
class gathering : public std::enable_shared_from_this<gathering> {
public:
  gathering(const api_parts& parts, responder respond)
      : parts_(parts), respond_(std::move(respond)) {
    view_.configured = parts_.channels;
  }

  void start() {
    open_ = 1; // This one, so that quick answers do not end it early.
    ask_status(caf::actor_cast<status_actor>(parts_.actors->find(actor_names::dispatcher)),
               [](channels_view& view, actor_status x) { view.dispatcher = std::move(x); });
    for (const auto& [name, config] : parts_.channels)
      ask_status(
          caf::actor_cast<status_actor>(parts_.actors->find(actor_names::provider_client(name))),
          [name = name](channels_view& view, actor_status x) {
            view.clients[name] = std::move(x);
          });
    if (parts_.pauses)
      ask_pauses();
    finish_one([](channels_view&) {});
  }

private:
  template <class Take>
  void ask_status(const status_actor& actor, Take take) {
    begin_one();
    ask<actor_status>(parts_.system, actor, parts_.ask_timeout, get_status{},
                      [self = shared_from_this(), take](const caf::expected<actor_status>& x) {
                        self->finish_one([&](channels_view& view) {
                          if (x)
                            take(view, *x);
                        });
                      });
  }

  void ask_pauses() {
    begin_one();
    parts_.pauses([self = shared_from_this()](std::optional<std::vector<channel_pause>> x) {
      self->finish_one([&](channels_view& view) { view.pauses = std::move(x); });
    });
  }

  void begin_one() {
    std::lock_guard guard{mutex_};
    ++open_;
  }

  template <class Change>
  void finish_one(Change change) {
    std::unique_lock lock{mutex_};
    change(view_);
    if (--open_ > 0)
      return;
    lock.unlock();
    answer_safely(respond_, [this] { return json_response(200, channels_json(view_)); });
  }

  const api_parts parts_;
  const responder respond_;
  std::mutex mutex_;
  channels_view view_;
  size_t open_ = 0;
};

} // namespace

boost::json::object channels_json(const channels_view& view) {
  boost::json::array items;
  for (const auto& [name, config] : view.configured)
    items.push_back(channel_json(name, config, view));
  boost::json::object body;
  body["items"] = std::move(items);
  return body;
}

void add_channels_route(router& routes, const api_parts& parts) {
  routes.add("GET", "/api/v1/channels", access::viewer,
             [parts](const request& x, const responder& respond) {
               if (auto refusal = read_query(x).finish())
                 return respond(std::move(*refusal));
               std::make_shared<gathering>(parts, respond)->start();
             });
}

} // namespace notify::http

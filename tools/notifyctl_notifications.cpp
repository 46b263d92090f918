#include "messages/error.hpp"
#include "tools/api_pages.hpp"
#include "tools/bulk_act.hpp"
#include "tools/json_text.hpp"
#include "tools/notification_filter.hpp"
#include "tools/notification_text.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr const char* folder = "/api/v1/notifications";

constexpr auto list_options = joined(filter_options, page_options, api_options);

/// Of acts on many.
constexpr std::array act_options = {
    cli::option{"dry-run", "", "only count what would be concerned", ""},
    cli::option{"yes", "", "do not ask before acting on many", ""},
    cli::option{"wait", "", "until the operation is over, and tell how far it is", ""},
};

constexpr std::array key_options = {
    cli::option{"fresh-key", "", "under a new idempotency key: the provider remembers the old one",
                ""},
};

constexpr auto cancel_options = joined(filter_options, act_options, api_options);
constexpr auto retry_options = joined(filter_options, key_options, act_options, api_options);

int list(const cli::arguments& from, streams io) {
  return show_list(from, io, "notifications list", folder, filter_query(from), notification_table);
}

int show(const cli::arguments& from, streams io) {
  constexpr auto name = "notifications show";
  if (from.rest.size() != 1)
    return usage_error(refuse("which notification? Its id is a word of its own"), name, io);
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  auto answer = (*client)->get(std::string{folder} + "/" + path_part(from.rest.front()));
  return show_answer(from, io, name, answer, notification_page);
}

std::string acted_text(const boost::json::value& answer) {
  const auto& x = member(answer, "notification");
  auto result = shown(x, "id") + " is " + shown(x, "status") + "\n";
  for (const auto& warning : items_of(member(answer, "warnings"))) {
    auto code = shown(warning);
    result += code == "late_success"      ? "Careful: an attempt turned out to have been accepted, "
                                            "so this may be a duplicate.\n"
              : code == "unknown_outcome" ? "Careful: an attempt may have been accepted, so this "
                                            "may be a duplicate.\n"
                                          : "Careful: " + code + "\n";
  }
  return result;
}

/// Acts on the notifications that are named, one after another; the worst exit code.
int act_on_each(const cli::arguments& from, streams io, const std::string& verb,
                const boost::json::object& body) {
  auto name = "notifications " + verb;
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  int code = cli::success;
  for (const auto& id : from.rest) {
    auto answer = (*client)->post(std::string{folder} + "/" + path_part(id) + "/" + verb, body);
    auto result = show_answer(from, io, name, answer, acted_text);
    code = result != cli::success ? result : code;
  }
  return code;
}

/// One, some by their ids, or many by a filter.
int act(const cli::arguments& from, streams io, const std::string& verb, boost::json::object body) {
  auto name = "notifications " + verb;
  auto filter = filter_object(from);
  if (from.rest.empty() == filter.empty())
    return usage_error(refuse(filter.empty() ? "which ones? Name ids or give a filter"
                                             : "either ids or a filter, not both"),
                       name, io);
  if (filter.empty())
    return act_on_each(from, io, verb, body);
  body["filter"] = std::move(filter);
  return act_on_many(from, io, verb, std::move(body));
}

int retry(const cli::arguments& from, streams io) {
  boost::json::object body;
  if (from.has("fresh-key"))
    body["key"] = "fresh";
  return act(from, io, "retry", std::move(body));
}

int cancel(const cli::arguments& from, streams io) {
  return act(from, io, "cancel", {});
}

constexpr std::array<command, 4> commands = {{
    {"notifications list", "", "show notifications, the newest first",
     "TIME is 2026-09-01T16:00:00Z. --limit counts lines; with --json each is an object.\n",
     R"(list --status=dead --channel=email
notifications list --recipient=anna@example.com --created-from=2026-09-01T00:00:00Z --all --json
)",
     list_options, list},
    {"notifications show", "ID", "show one with its event and what happened to it", "",
     "show 01990f2a-5b1c-8d3e-9f40-112233445566\n", api_options, show},
    {"notifications retry", "[ID...]", "send dead notifications again",
     R"(By their ids, or all that match a filter: then it tells how many these are, asks, and has the
service do it in the background.
)",
     R"(retry 01990f2a-5b1c-8d3e-9f40-112233445566
retry --error-code=smtp_mailbox_full --created-from=2026-09-01T00:00:00Z --dry-run
notifications retry --channel=email --status=dead --fresh-key --yes --wait
)",
     retry_options, retry},
    {"notifications cancel", "[ID...]", "withdraw notifications that wait",
     R"(Only what is pending or in retry_wait; what is being sent cannot be called back. By ids or by a
filter, as for retry.
)",
     R"(cancel 01990f2a-5b1c-8d3e-9f40-112233445566
cancel --event-type=order.created.v1 --yes --wait
)",
     cancel_options, cancel},
}};

} // namespace

std::span<const command> notifications_commands() {
  return commands;
}

} // namespace notify::ctl

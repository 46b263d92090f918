#include "tools/api_pages.hpp"
#include "tools/bulk_act.hpp"
#include "tools/json_text.hpp"
#include "tools/text_table.hpp"

#include <array>

namespace notify::ctl {

namespace {

constexpr const char* folder = "/api/v1/operations";

constexpr auto list_options = joined(page_options, api_options);

constexpr auto show_options = joined(
    std::array{
        cli::option{"wait", "", "until it is over, and tell how far it is", ""},
        cli::option{"skipped", "", "list what it passed over, and why", ""},
    },
    page_options, api_options);

std::string operation_table(const boost::json::array& operations) {
  text_table table{{"ID", true},   {"CREATED"}, {"KIND"}, {"STATUS"}, {"LOOKED AT", true},
                   {"DONE", true}, {"SKIPPED"}, {"BY"},   {"FILTER"}};
  for (const auto& x : operations)
    table.add({shown(x, "id"), shown_time(x, "created_at"), shown(x, "kind"), shown(x, "status"),
               shown(x, "matched"), shown(x, "done"), shown_members(member(x, "skipped")),
               shown(x, "created_by"), shown_members(member(x, "filter"))});
  return table.text();
}

std::string skipped_table(const boost::json::array& items) {
  text_table table{{"ID"}, {"REASON"}};
  for (const auto& x : items)
    table.add({shown(x, "id"), shown(x, "reason")});
  return table.text();
}

int list(const cli::arguments& from, streams io) {
  return show_list(from, io, "operations list", folder, {}, operation_table);
}

int show(const cli::arguments& from, streams io) {
  constexpr auto name = "operations show";
  if (from.rest.size() != 1)
    return usage_error(refuse("which operation? Its id is a word of its own"), name, io);
  auto path = std::string{folder} + "/" + path_part(from.rest.front());
  if (from.has("skipped"))
    return show_list(from, io, name, path + "/skipped", {}, skipped_table);
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  if (from.has("wait"))
    return wait_for_operation(**client, from, io, name, from.rest.front());
  return show_answer(from, io, name, (*client)->get(path), operation_page);
}

int cancel(const cli::arguments& from, streams io) {
  constexpr auto name = "operations cancel";
  if (from.rest.size() != 1)
    return usage_error(refuse("which operation? Its id is a word of its own"), name, io);
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  auto answer =
      (*client)->post(std::string{folder} + "/" + path_part(from.rest.front()) + "/cancel");
  return show_answer(from, io, name, answer, operation_page);
}

constexpr std::array<command, 3> commands = {{
    {"operations list", "", "show the acts on many notifications, the newest first", "",
     "operations list\n", list_options, list},
    {"operations show", "ID", "show one, how far it is and what it passed over", "",
     "operations show 12 --wait\noperations show 12 --skipped --all\n", show_options, show},
    {"operations cancel", "ID", "stop one that runs; what it did so far stays done", "",
     "operations cancel 12\n", api_options, cancel},
}};

} // namespace

std::span<const command> operations_commands() {
  return commands;
}

} // namespace notify::ctl

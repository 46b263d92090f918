#include "tools/api_pages.hpp"
#include "tools/json_text.hpp"
#include "tools/text_table.hpp"

#include <array>

// What the service says about itself: its figures, and what people did.

namespace notify::ctl {

namespace {

constexpr auto audit_options = joined(
    std::array{
        cli::option{"actor", "NAME", "what this person did", ""},
        cli::option{"action", "CODE", "of this kind, e.g. offsets.reset", ""},
        cli::option{"target", "TEXT", "done to exactly this", ""},
    },
    page_options, api_options);

std::string named_numbers(std::string_view title, const boost::json::value& object) {
  text_table table{{title}, {"", true}};
  if (const auto* members = object.if_object())
    for (const auto& [name, value] : *members)
      table.add({std::string{name}, shown(value)});
  return table.is_empty() ? "" : "\n" + table.text();
}

std::string stats_page(const boost::json::value& x) {
  auto result = field_line("taken at", shown_time(x, "taken_at"));
  result += field_line("seconds ago", shown(x, "age_s"));
  if (auto failure = shown(x, "failure"); failure != "-")
    result += field_line("out of date", failure);
  text_table jobs{{"CHANNEL"}, {"STATUS"}, {"NOTIFICATIONS", true}};
  for (const auto& count : items_of(member(x, "jobs")))
    jobs.add({shown(count, "channel"), shown(count, "status"), shown(count, "count")});
  result += "\n" + jobs.text();
  result += named_numbers("OLDEST DUE, SECONDS", member(x, "oldest_due_s"));
  return result + named_numbers("FIGURE", member(x, "figures"));
}

std::string audit_table(const boost::json::array& entries) {
  text_table table{{"ID", true}, {"AT"}, {"ACTOR"}, {"ACTION"}, {"TARGET"}, {"DETAILS"}};
  for (const auto& x : entries)
    table.add({shown(x, "id"), shown_time(x, "at"), shown(x, "actor"), shown(x, "action"),
               shown(x, "target"), shown_members(member(x, "details"))});
  return table.text();
}

int stats(const cli::arguments& from, streams io) {
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), "stats", io);
  return show_answer(from, io, "stats", (*client)->get("/api/v1/stats"), stats_page);
}

int audit(const cli::arguments& from, streams io) {
  api_query query;
  for (const auto* name : {"actor", "action", "target"})
    if (from.has(name))
      query.emplace_back(name, from.at(name));
  return show_list(from, io, "audit", "/api/v1/audit", query, audit_table);
}

constexpr std::array<command, 2> commands = {{
    {"stats", "", "show how many notifications are in which status",
     "Some seconds old: nobody who looks makes the database count.\n", "stats\nstats --json\n",
     api_options, stats},
    {"audit", "", "show what people did, the newest first", "",
     "audit --actor=anna\naudit --action=offsets.reset --limit=5\n", audit_options, audit},
}};

} // namespace

std::span<const command> service_commands() {
  return commands;
}

} // namespace notify::ctl

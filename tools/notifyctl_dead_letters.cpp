#include "actors/dead_letter_replay.hpp"
#include "actors/event_time.hpp"
#include "messages/error.hpp"
#include "persistence/pg_dead_letter_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tools/dead_letter_text.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"
#include "tools/notifyctl_settings.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr cli::option reason_option{"reason", "CODE", "only letters with this reason", ""};
constexpr cli::option of_topic_option{"topic", "NAME", "only records of this topic", ""};
constexpr cli::option from_option{"from", "TIME", "only those that first failed at or after it",
                                  ""};
constexpr cli::option to_option{"to", "TIME", "only those that first failed before it", ""};
constexpr cli::option id_option{"id", "ID,...", "these letters, whatever the other options say",
                                ""};

constexpr std::array list_options = {
    config_option,
    postgres_option,
    reason_option,
    of_topic_option,
    from_option,
    to_option,
    id_option,
    cli::option{"unpublished", "", "only those that are not in the dead-letter topic", ""},
    cli::option{"open", "", "only those that no replay has got into the inbox", ""},
    cli::option{"before", "ID", "only smaller ids: the last id of a page leads to the next", ""},
    cli::option{"limit", "N", "most letters, the newest first", "50"},
    json_option,
};

constexpr std::array show_options = {
    config_option,
    postgres_option,
    cli::option{"bytes", "N", "most bytes of a value", "4096"},
    json_option,
};

constexpr std::array replay_options = {
    config_option,
    postgres_option,
    reason_option,
    of_topic_option,
    from_option,
    to_option,
    id_option,
    cli::option{"all", "", "needed if neither a letter nor a filter is given", ""},
    cli::option{"limit", "N", "most letters, the oldest first; 0: all", "0"},
    routes_option,
    dry_run_option,
    json_option,
};

caf::expected<std::vector<int64_t>> to_ids(const std::vector<std::string>& words) {
  std::vector<int64_t> result;
  for (const auto& word : words) {
    int64_t id = 0;
    const auto* end = word.data() + word.size();
    auto [stop, code] = std::from_chars(word.data(), end, id);
    if (code != std::errc{} || stop != end || id < 1)
      return refuse("a letter's id is a number, not '" + word + "'");
    result.push_back(id);
  }
  return result;
}

caf::expected<std::optional<int64_t>> to_time(const cli::arguments& from, std::string_view name) {
  if (!from.has(name))
    return std::optional<int64_t>{};
  const auto& text = from.at(name);
  auto result = parse_event_time(text.size() == 10 ? text + "T00:00:00Z" : text);
  if (!result)
    return refuse("--" + std::string{name} + " must be a time such as 2026-09-01T16:00:00Z, not '"
                  + text + "'");
  return result;
}

caf::expected<letter_filter> to_filter(const cli::arguments& from) {
  letter_filter result;
  result.reason = from.at("reason");
  result.topic = from.at("topic");
  auto begin = to_time(from, "from");
  if (!begin)
    return begin.error();
  auto end = to_time(from, "to");
  if (!end)
    return end.error();
  result.from_us = *begin;
  result.to_us = *end;
  if (from.has("unpublished"))
    result.published = false;
  if (from.has("open"))
    result.replayed = false;
  return result;
}

caf::expected<std::vector<letter_info>> find_letters(const cli::arguments& from) {
  auto filter = to_filter(from);
  if (!filter)
    return filter.error();
  auto ids = to_ids(cli::split_list(from.at("id")));
  if (!ids)
    return ids.error();
  auto limit = cli::number(from, "limit", 1, 100'000);
  if (!limit)
    return limit.error();
  letter_page page;
  page.newest_first = true;
  page.limit = static_cast<uint32_t>(*limit);
  if (from.has("before")) {
    auto before = cli::number(from, "before", 1, std::numeric_limits<int64_t>::max());
    if (!before)
      return before.error();
    page.before_id = *before;
  }
  auto config = read_settings(from);
  if (!config)
    return config.error();
  pg_dead_letter_store store{database_of(**config)};
  return ids->empty() ? store.list(*filter, page) : store.find(*ids);
}

int list(const cli::arguments& from, streams io) {
  auto letters = find_letters(from);
  if (!letters)
    return give_up(letters.error(), "dead-letters list", io);
  if (!from.has("json")) {
    io.out << letter_table(*letters);
    return cli::success;
  }
  for (const auto& x : *letters)
    io.out << boost::json::serialize(to_json(x)) << '\n';
  return cli::success;
}

int show(const cli::arguments& from, streams io) {
  auto ids = to_ids(from.rest);
  if (!ids)
    return give_up(ids.error(), "dead-letters show", io);
  if (ids->empty())
    return give_up(refuse("which letter? Its id is a word of its own"), "dead-letters show", io);
  auto limit = cli::number(from, "bytes", 0, 1 << 30);
  if (!limit)
    return give_up(limit.error(), "dead-letters show", io);
  auto config = read_settings(from);
  if (!config)
    return give_up(config.error(), "dead-letters show", io);
  pg_dead_letter_store store{database_of(**config)};
  int code = cli::success;
  auto separator = "";
  for (auto id : *ids) {
    auto letters = store.load({id});
    if (!letters)
      return give_up(letters.error(), "dead-letters show", io);
    if (letters->empty()) {
      io.err << "notifyctl dead-letters show: there is no dead letter " << id << '\n';
      code = cli::not_found;
      continue;
    }
    auto bytes = static_cast<size_t>(*limit);
    if (from.has("json"))
      io.out << boost::json::serialize(to_json(letters->front(), bytes)) << '\n';
    else
      io.out << separator << letter_page_text(letters->front(), bytes);
    separator = "\n";
  }
  return code;
}

caf::expected<replay_request> to_request(const cli::arguments& from) {
  auto filter = to_filter(from);
  if (!filter)
    return filter.error();
  auto ids = to_ids(cli::split_list(from.at("id")));
  if (!ids)
    return ids.error();
  auto limit = cli::number(from, "limit", 0, std::numeric_limits<int64_t>::max());
  if (!limit)
    return limit.error();
  auto chosen = from.has("id") || from.has("reason") || from.has("topic") || from.has("from")
                || from.has("to") || from.has("all");
  if (!chosen)
    return refuse("which letters? Say --id, --reason, --topic, --from, --to or --all");
  if (from.has("id") && ids->empty())
    return refuse("--id needs at least one id");
  return replay_request{std::move(*ids), std::move(*filter), static_cast<uint64_t>(*limit),
                        from.has("dry-run")};
}

boost::json::object to_json(const replay_report& x, bool dry_run) {
  boost::json::object reasons;
  for (const auto& [reason, count] : x.reasons)
    reasons[reason] = count;
  return {{"dry_run", dry_run},         {"tried", x.tried},     {"stored", x.stored},
          {"duplicates", x.duplicates}, {"refused", x.refused}, {"settled_before", x.settled},
          {"missing", x.missing},       {"jobs", x.jobs},       {"reasons", std::move(reasons)}};
}

std::string to_text(const replay_report& x, bool dry_run) {
  auto number = [](uint64_t count) { return std::to_string(count); };
  auto result = number(x.tried) + " tried: " + number(x.stored)
                + (dry_run ? " would be stored with up to " : " stored with ") + number(x.jobs)
                + " notifications, " + number(x.duplicates) + " of events that are there already, "
                + number(x.refused) + " still dead";
  auto separator = " (";
  for (const auto& [reason, count] : x.reasons) {
    result += separator + reason + " " + number(count);
    separator = ", ";
  }
  result += x.reasons.empty() ? "" : ")";
  if (x.settled > 0)
    result += "; " + number(x.settled) + " settled before";
  if (x.missing > 0)
    result += "; " + number(x.missing) + " do not exist";
  return result;
}

/// Tells a person about once in a second how far it came.
dead_letter_replay::progress progress_to(std::ostream& out) {
  using clock = std::chrono::steady_clock;
  return [&out, last = clock::now()](const replay_report& x) mutable {
    if (clock::now() - last < std::chrono::seconds{1})
      return;
    last = clock::now();
    out << x.tried << " tried, " << x.stored << " stored, " << x.refused << " still dead\n";
  };
}

int replay(const cli::arguments& from, streams io) {
  auto request = to_request(from);
  if (!request)
    return give_up(request.error(), "dead-letters replay", io);
  auto config = read_settings(from);
  if (!config)
    return give_up(config.error(), "dead-letters replay", io);
  auto routes = routing_table::load((*config)->service().routes_file);
  if (!routes)
    return give_up(routes.error(), "dead-letters replay", io);
  auto database = database_of(**config);
  pg_dead_letter_store letters{database};
  pg_ingest_store inbox{database};
  dead_letter_replay runner{letters,
                            inbox,
                            {std::make_shared<const routing_table>(std::move(*routes)),
                             (*config)->service().ingest.limits}};
  auto report = runner.run(*request, progress_to(io.err));
  if (!report)
    return give_up(report.error(), "dead-letters replay", io);
  if (from.has("json"))
    io.out << boost::json::serialize(to_json(*report, request->dry_run)) << '\n';
  else
    io.out << to_text(*report, request->dry_run) << '\n';
  return report->missing > 0 ? cli::failed : cli::success;
}

constexpr std::array<command, 3> commands = {{
    {"dead-letters list", "", "show records that could not be processed",
     R"(TIME is 2026-09-01T16:00:00Z or 2026-09-01. Reads the database itself; its password comes from
NOTIFYD_POSTGRES_PASSWORD or PGPASSWORD, or from the settings' password file.
)",
     "dead-letters list --config=/etc/notifyd/notifyd.ini --reason=missing_route_data\n",
     list_options, list},
    {"dead-letters show", "ID...", "show all about single dead letters", "",
     "dead-letters show --config=/etc/notifyd/notifyd.ini 17\n", show_options, show},
    {"dead-letters replay", "", "take dead letters through the inbox again",
     R"(By today's routes and limits: what is valid now becomes an event with its notifications, everything
else stays a dead letter, with the new reason.
)",
     R"(dead-letters replay --postgres=postgresql://notify@db/notify --id=17,18 --dry-run
dead-letters replay --config=notifyd.ini --reason=unsupported_version --from=2026-09-01
)",
     replay_options, replay},
}};

} // namespace

std::span<const command> dead_letters_commands() {
  return commands;
}

} // namespace notify::ctl

#include "tools/bulk_act.hpp"

#include "tools/api_pages.hpp"
#include "tools/json_text.hpp"
#include "tools/text_table.hpp"

#include <boost/json/serialize.hpp>

#include <chrono>
#include <iostream>
#include <thread>

#include <unistd.h>

namespace notify::ctl {

namespace {

namespace json = boost::json;

/// Between two looks at an operation.
constexpr std::chrono::milliseconds look_again{500};

/// A look that fails for a moment does not end the wait: the operation goes on without us.
constexpr int most_failures = 20;

int64_t number_of(const json::value& object, std::string_view name) {
  const auto& x = member(object, name);
  return x.is_int64() ? x.get_int64() : 0;
}

std::string preview_text(const json::value& preview, const std::string& verb) {
  auto more = member(preview, "capped").is_bool() && member(preview, "capped").get_bool();
  auto count = shown(preview, "count") + (more ? " or more" : "");
  return count + " match, " + shown(preview, "actionable") + (more ? " or more" : "")
         + " of them can be " + (verb == "retry" ? "retried" : "cancelled") + " now";
}

/// Only a person can say yes; a script has to say `--yes`.
caf::error ask(const std::string& question, streams io) {
  if (::isatty(STDIN_FILENO) == 0)
    return refuse("say --yes if this is meant: " + question);
  io.err << question << ". Go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "yes")
    return refuse("nothing was done");
  return caf::none;
}

std::string progress_text(const json::value& operation) {
  auto result = shown(operation, "status") + ": " + shown(operation, "matched") + " looked at, "
                + shown(operation, "done") + " done";
  auto skipped = shown_members(member(operation, "skipped"));
  return result + (skipped.empty() ? "" : ", skipped: " + skipped);
}

} // namespace

std::string operation_page(const json::value& answer) {
  const auto& x = member(answer, "operation");
  auto result = field_line("operation", shown(x, "id"));
  for (const auto* name : {"kind", "status", "error", "key", "created_by", "created_at",
                           "updated_at", "finished_at", "matched", "done"})
    if (auto text = shown(x, name); text != "-")
      result += field_line(name, text);
  if (auto skipped = shown_members(member(x, "skipped")); !skipped.empty())
    result += field_line("skipped", skipped);
  return result + field_line("filter", shown_members(member(x, "filter")));
}

int wait_for_operation(api_client& client, const cli::arguments& from, streams io,
                       std::string_view name, const std::string& id) {
  std::string last;
  int failures = 0;
  for (;;) {
    auto answer = client.get("/api/v1/operations/" + path_part(id));
    auto may_pass = answer.status == 0 || answer.status == 503 || answer.status == 429;
    if (!answer.ok() && (!may_pass || ++failures >= most_failures))
      return report(answer, name, io);
    if (answer.ok()) {
      failures = 0;
      const auto& x = member(answer.body, "operation");
      if (auto text = progress_text(x); text != last)
        io.err << (last = text) << '\n';
      if (auto status = text_of(x, "status"); status != "running") {
        auto code = show_answer(from, io, name, answer, operation_page);
        return status == "done" ? code : cli::failed;
      }
    }
    std::this_thread::sleep_for(look_again);
  }
}

int act_on_many(const cli::arguments& from, streams io, const std::string& verb,
                json::object body) {
  auto name = "notifications " + verb;
  auto path = "/api/v1/notifications/" + verb;
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  body["preview"] = true;
  auto preview = (*client)->post(path, body);
  auto question = preview_text(preview.body, verb);
  if (from.has("dry-run") || !preview.ok())
    return show_answer(from, io, name, preview,
                       [&](const json::value&) { return question + "\n"; });
  if (number_of(preview.body, "count") == 0) {
    io.err << question << '\n';
    return cli::success;
  }
  if (from.has("yes"))
    io.err << question << '\n';
  else if (auto err = ask(question, io))
    return usage_error(err, name, io);
  body.erase("preview");
  auto started = (*client)->post(path, body);
  if (!started.ok())
    return report(started, name, io);
  auto id = text_of(member(started.body, "operation"), "id");
  io.err << "operation " << id << " is stored and runs in the service\n";
  if (from.has("wait"))
    return wait_for_operation(**client, from, io, name, id);
  return show_answer(from, io, name, started, operation_page);
}

} // namespace notify::ctl

#include "tools/notifyctl.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"
#include "messages/nearest.hpp"
#include "tools/notifyctl_help.hpp"
#include "tools/secrets.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr std::array<alias, 6> aliases = {{
    {"list", "notifications list"},
    {"show", "notifications show"},
    {"retry", "notifications retry"},
    {"cancel", "notifications cancel"},
    {"offsets", "offsets show"},
    {"channels", "channels list"},
}};

std::string_view first_word(std::string_view path) {
  return path.substr(0, path.find(' '));
}

const command* find_command(std::string_view path) {
  const auto& all = all_commands();
  auto found = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.path == path; });
  return found != all.end() ? &*found : nullptr;
}

const command* find_alias(std::string_view name) {
  for (const auto& x : aliases)
    if (x.name == name)
      return find_command(x.path);
  return nullptr;
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

bool asks_for_help(std::string_view word) {
  return word == "--help" || word == "-h";
}

/// The commands that begin with this word and go on.
std::vector<command> group_of(std::string_view word) {
  std::vector<command> result;
  for (const auto& x : all_commands())
    if (x.path.size() > word.size() && first_word(x.path) == word)
      result.push_back(x);
  return result;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  auto other = nearest(word, names);
  return other.empty() ? "" : ", did you mean '" + other + "'?";
}

int unknown_command(std::string_view word, streams io) {
  std::vector<std::string> names;
  for (const auto& x : all_commands())
    if (auto name = std::string{first_word(x.path)}; names.empty() || names.back() != name)
      names.push_back(name);
  for (const auto& x : aliases)
    names.emplace_back(x.name);
  io.err << "notifyctl: unknown command '" << mask_url(std::string{word}) << "'"
         << did_you_mean(word, names) << "\nSee: notifyctl --help\n";
  return cli::usage;
}

int unknown_verb(std::string_view group, const std::vector<command>& choices, std::string_view word,
                 streams io) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& x : choices) {
    names.emplace_back(x.path.substr(group.size() + 1));
    list += (list.empty() ? "" : &x == &choices.back() ? " or " : ", ") + names.back();
  }
  auto text = word.empty() ? "what to do: " + list
                           : list + ", not '" + mask_url(std::string{word}) + "'"
                                 + did_you_mean(word, names);
  return usage_error(refuse(text), group, io);
}

int run_command(const command& x, std::span<const char* const> words, streams io) {
  auto given = cli::parse(words, x.options);
  if (!given)
    return usage_error(given.error(), x.path, io);
  if (given->has("help")) {
    io.out << help_of(x);
    return cli::success;
  }
  // A word that should not be there may be a URL with a password.
  if (x.operands.empty() && !given->rest.empty())
    return usage_error(refuse("unexpected word '" + mask_url(given->rest.front()) + "'"), x.path,
                       io);
  return x.run(*given, io);
}

} // namespace

std::span<const alias> all_aliases() {
  return aliases;
}

const std::vector<command>& all_commands() {
  static const auto list = [] {
    std::vector<command> result;
    for (auto part : {notifications_commands(), operations_commands(), events_commands(),
                      channels_commands(), service_commands(), actors_commands(), top_commands(),
                      doctor_commands(), topics_commands(), offsets_commands(), replay_commands(),
                      produce_commands(), dead_letters_commands(), completion_commands()})
      result.insert(result.end(), part.begin(), part.end());
    return result;
  }();
  return list;
}

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_config, std::move(text));
}

int usage_error(const caf::error& error, std::string_view path, streams io) {
  io.err << "notifyctl " << path << ": " << cli::message(error) << "\nSee: notifyctl " << path
         << " --help\n";
  return cli::usage;
}

int give_up(const caf::error& error, std::string_view path, streams io) {
  if (error == ec::invalid_config)
    return usage_error(error, path, io);
  io.err << "notifyctl " << path << ": " << cli::message(error) << '\n';
  return error == ec::not_found ? cli::not_found : cli::failed;
}

int run(std::span<const char* const> words, streams io) {
  // Outages are told once, by the command that gave up.
  log::configure(log::level::error, log::format::text);
  if (words.empty()) {
    io.err << overview();
    return cli::usage;
  }
  std::string_view first = words.front();
  if (asks_for_help(first) || first == "help") {
    io.out << overview();
    return cli::success;
  }
  std::string_view second = words.size() > 1 ? words[1] : std::string_view{};
  auto group = group_of(first);
  if (!group.empty() && asks_for_help(second)) {
    io.out << help_of(group);
    return cli::success;
  }
  if (!second.empty() && !is_option(second))
    if (const auto* x = find_command(std::string{first} + " " + std::string{second}))
      return run_command(*x, words.subspan(2), io);
  if (const auto* x = find_command(first))
    return run_command(*x, words.subspan(1), io);
  const auto* short_for = find_alias(first);
  if (short_for != nullptr && (group.empty() || second.empty() || is_option(second)))
    return run_command(*short_for, words.subspan(1), io);
  return group.empty() ? unknown_command(first, io) : unknown_verb(first, group, second, io);
}

} // namespace notify::ctl

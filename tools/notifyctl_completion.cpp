#include "tools/notifyctl.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace notify::ctl {

namespace {

/// What an option's value can be completed with: `files`, a list of words, or nothing.
std::string completion_of(const cli::option& x) {
  if (x.value == "FILE")
    return "files";
  if (x.value.find('|') == std::string_view::npos)
    return {};
  std::string words{x.value};
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

/// `command path) options=(...) ;;`
std::string options_case(std::string_view name, const command& x) {
  std::string words;
  for (const auto& option : x.options)
    words += "--" + std::string{option.name} + (option.value.empty() ? " " : "= ");
  return "    '" + std::string{name} + "') words='" + words + "--help' ;;\n";
}

/// `--option) ...`, once for each option that can be completed. One name means the same everywhere.
std::string value_cases() {
  std::string result;
  std::set<std::string_view> seen;
  for (const auto& x : all_commands())
    for (const auto& option : x.options) {
      auto values = completion_of(option);
      if (values.empty() || !seen.insert(option.name).second)
        continue;
      result += "    --" + std::string{option.name} + ") "
                + (values == "files" ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                                     : "COMPREPLY=($(compgen -W '" + values + "' -- \"$current\"))")
                + " ;;\n";
    }
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& x : words)
    result += (result.empty() ? "" : " ") + x;
  return result;
}

void add_once(std::vector<std::string>& to, std::string_view word) {
  if (std::find(to.begin(), to.end(), word) == to.end())
    to.emplace_back(word);
}

std::string first_words() {
  std::vector<std::string> words;
  for (const auto& x : all_commands())
    add_once(words, x.path.substr(0, x.path.find(' ')));
  for (const auto& x : all_aliases())
    add_once(words, x.name);
  return joined(words);
}

/// `group) verbs ;;` for the commands of two words.
std::string verb_cases() {
  std::vector<std::string> groups;
  for (const auto& x : all_commands())
    if (auto space = x.path.find(' '); space != std::string_view::npos)
      add_once(groups, x.path.substr(0, space));
  std::string result;
  for (const auto& group : groups) {
    std::vector<std::string> verbs;
    for (const auto& x : all_commands())
      if (x.path.starts_with(group + " "))
        add_once(verbs, x.path.substr(group.size() + 1));
    result += "    " + group + ") verbs='" + joined(verbs) + "' ;;\n";
  }
  return result;
}

std::string option_cases() {
  std::string result;
  for (const auto& x : all_commands())
    result += options_case(x.path, x);
  for (const auto& short_name : all_aliases())
    for (const auto& x : all_commands())
      if (x.path == short_name.path)
        result += options_case(short_name.name, x);
  return result;
}

int bash(const cli::arguments&, streams io) {
  io.out << R"(# Completion of notifyctl for bash; made by: notifyctl completion bash
_notifyctl() {
  local current=${COMP_WORDS[COMP_CWORD]} option='' verbs='' words='' path=''
  COMPREPLY=()
  # Bash takes --name=value for three words.
  if [[ $current == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
    current=''
  elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --* && $current != -* ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  case $option in
)" << value_cases()
         << R"(  esac
  if [[ -n $option && ${#COMPREPLY[@]} -gt 0 ]]; then
    return
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ')"
         << first_words() << R"( --help' -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
)" << verb_cases()
         << R"(  esac
  path=${COMP_WORDS[1]}
  if [[ " $verbs " == *" ${COMP_WORDS[2]} "* ]] && ((COMP_CWORD > 2)); then
    path+=" ${COMP_WORDS[2]}"
  elif ((COMP_CWORD == 2)) && [[ -n $verbs && $current != -* ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$current"))
    return
  fi
  case $path in
)" << option_cases()
         << R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ ${COMPREPLY[0]-} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _notifyctl notifyctl
)";
  return cli::success;
}

constexpr std::array<command, 1> commands = {{
    {"completion bash",
     "",
     "print a script that completes commands and options in bash",
     "",
     "completion bash > /etc/bash_completion.d/notifyctl\n",
     {},
     bash},
}};

} // namespace

std::span<const command> completion_commands() {
  return commands;
}

} // namespace notify::ctl

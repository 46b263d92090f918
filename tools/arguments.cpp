#include "tools/arguments.hpp"

#include "messages/error.hpp"
#include "messages/nearest.hpp"

#include <algorithm>

namespace notify {

namespace {

caf::error refuse(const std::string& why) {
  return caf::make_error(ec::invalid_config, "command line: " + why);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& choices,
                         const std::string& prefix = {}) {
  auto near = nearest(word, choices);
  return near.empty() ? "; see notifyd --help" : ", did you mean " + prefix + near + "?";
}

/// The options that are not settings.
const std::vector<std::string>& switches() {
  static const std::vector<std::string> names{"config", "help", "version", "markdown", "status"};
  return names;
}

caf::error unknown_option(const std::string& name, const option_list& options) {
  auto names = switches();
  for (const auto& x : options)
    names.push_back(x.full_name());
  return refuse("unknown option --" + name + did_you_mean(name, names, "--"));
}

/// Reads the words that start with "--", and the values behind them.
class option_reader {
public:
  option_reader(arguments& out, option_list& options) : out_(out), options_(options) {}

  /// Reads the word at `index`. A value may be the next word, which then is read as well.
  caf::error read(const std::vector<std::string>& words, size_t& index) {
    const auto& word = words[index];
    auto equals = word.find('=');
    name_ = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    text_ = equals == std::string::npos ? std::nullopt : std::optional{word.substr(equals + 1)};
    if (!text_ && takes_value() && index + 1 < words.size() && !words[index + 1].starts_with("--"))
      text_ = words[++index];
    if (name_ == "config")
      return read_config_file();
    if (name_ == "help")
      return read_switch(out_.help);
    if (name_ == "version")
      return read_switch(out_.version);
    if (name_ == "markdown")
      return read_switch(out_.markdown);
    if (name_ == "status")
      return read_switch(out_.status);
    return read_setting();
  }

private:
  option* known_option() {
    auto dot = name_.find('.');
    auto name = dot == std::string::npos ? std::string{} : name_.substr(dot + 1);
    return find_option(options_, name_.substr(0, dot), name);
  }

  bool takes_value() {
    auto* known = known_option();
    return name_ == "config" || (known != nullptr && !known->is_flag());
  }

  caf::error read_config_file() {
    if (!text_ || text_->empty())
      return refuse("--config needs a file: --config=FILE");
    if (out_.config_file)
      return refuse("--config is given twice");
    out_.config_file = text_;
    return caf::none;
  }

  caf::error read_switch(bool& flag) {
    if (text_)
      return refuse("--" + name_ + " takes no value");
    flag = true;
    return caf::none;
  }

  caf::error read_setting() {
    auto* known = known_option();
    if (known == nullptr)
      return unknown_option(name_, options_);
    if (!text_ && !known->is_flag())
      return refuse("--" + name_ + " needs a value: --" + name_ + "=VALUE");
    for (const auto& x : out_.settings)
      if (x.section == known->section() && x.name == known->name())
        return refuse("--" + name_ + " is given twice");
    out_.settings.push_back({known->section(), known->name(), text_.value_or("true")});
    return caf::none;
  }

  arguments& out_;
  option_list& options_;
  std::string name_;
  std::optional<std::string> text_;
};

caf::error check_command(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& x : commands())
    names.push_back(x.name);
  if (std::count(names.begin(), names.end(), word) != 0)
    return caf::none;
  return refuse("unknown command " + word + did_you_mean(word, names));
}

} // namespace

const std::vector<command_info>& commands() {
  static const std::vector<command_info> list{
      {"run", "runs the service until SIGTERM or SIGINT (the default)"},
      {"check", "prints the effective settings with secrets masked, and ends"},
      {"migrate", "brings the database's schema to this program's version, and ends; with --status "
                  "only tells what is to be done"},
      {"token",
       "NAME viewer|operator: makes a token for the API and its line for http.tokens-file"},
      {"options", "lists every option; with --markdown as docs/configuration.md"},
      {"outcomes", "lists what providers' answers mean, as docs/retry-table.md"},
  };
  return list;
}

caf::expected<arguments> read_arguments(const std::vector<std::string>& words,
                                        option_list& options) {
  arguments result;
  option_reader reader{result, options};
  bool has_command = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "-h") {
      result.help = true;
    } else if (word.starts_with("--") && word.size() > 2) {
      if (auto err = reader.read(words, i))
        return err;
    } else if (word.starts_with("-")) {
      return refuse("unknown option " + word + ", options look like --section.name=VALUE");
    } else if (has_command && result.command == "token") {
      result.operands.push_back(word);
    } else if (has_command) {
      return refuse("one command at a time: " + result.command + " or " + word + "?");
    } else if (auto err = check_command(word)) {
      return err;
    } else {
      has_command = true;
      result.command = word;
    }
  }
  if (result.markdown && result.command != "options" && result.command != "outcomes")
    return refuse("--markdown belongs to the commands options and outcomes");
  if (result.status && result.command != "migrate")
    return refuse("--status belongs to the command migrate");
  if (result.command == "token" && !result.help && result.operands.size() != 2)
    return refuse("token needs a name and a role: notifyd token NAME viewer|operator");
  return result;
}

} // namespace notify

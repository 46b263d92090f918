#include "tools/settings.hpp"

#include "messages/error.hpp"
#include "messages/nearest.hpp"
#include "messages/registration.hpp"
#include "tools/ini_reader.hpp"
#include "tools/value_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include <unistd.h>

namespace notify {

namespace {

namespace fs = std::filesystem;

caf::expected<std::string> read_text_file(const std::string& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure))
    return caf::make_error(ec::invalid_config, "cannot read " + path + ": it is a folder");
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return caf::make_error(ec::invalid_config, "cannot read " + path + ": " + std::strerror(errno));
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& choices) {
  auto near = nearest(word, choices);
  return near.empty() ? "" : ", did you mean " + near + "?";
}

/// Looks for the right name of an entry that no option has.
std::string unknown_entry(const ini_entry& entry, const option_list& options) {
  std::vector<std::string> sections;
  std::vector<std::string> names;
  std::vector<std::string> elsewhere;
  for (const auto& x : options) {
    if (sections.empty() || sections.back() != x.section())
      sections.push_back(x.section());
    if (x.section() == entry.section)
      names.push_back(x.name());
    if (x.name() == entry.name)
      elsewhere.push_back(x.section());
  }
  if (names.empty())
    return "unknown section [" + entry.section + "]" + did_you_mean(entry.section, sections);
  auto text = "unknown option " + entry.section + "." + entry.name;
  if (elsewhere.size() == 1)
    return text + ", it belongs to [" + elsewhere.front() + "]";
  return text + did_you_mean(entry.name, names);
}

/// Two processes of one host must differ, and so must two hosts.
std::string default_instance() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0)
    name = "notifyd";
  name.resize(std::strlen(name.c_str()));
  return name + "-" + std::to_string(getpid());
}

/// Takes the entries of one file, in order.
class entry_reader {
public:
  entry_reader(std::string file, option_list& options, std::vector<std::string>& problems)
      : file_(std::move(file)), options_(options), problems_(problems) {}

  void take(const ini_entry& entry) {
    auto problem = problem_with(entry);
    if (!problem.empty())
      problems_.push_back(file_ + ":" + std::to_string(entry.line) + ": " + problem);
  }

private:
  std::string problem_with(const ini_entry& entry) {
    if (entry.section == "global")
      return entry.name + " stands before the first [section]";
    auto section_exists = std::any_of(options_.begin(), options_.end(), [&](const option& x) {
      return x.section() == entry.section;
    });
    if (!section_exists)
      return reported_.insert(entry.section).second ? unknown_entry(entry, options_)
                                                    : std::string{};
    if (entry.name.empty())
      return {};
    if (caf::holds_alternative<caf::config_value::dictionary>(entry.value))
      return entry.section + "." + entry.name + ": there are no maps and no nested sections";
    auto* known = find_option(options_, entry.section, entry.name);
    if (known == nullptr)
      return unknown_entry(entry, options_);
    auto [first, is_new] = lines_.emplace(known->full_name(), entry.line);
    if (!is_new)
      return known->full_name() + " is given twice, first in line " + std::to_string(first->second);
    auto wrong = known->assign(entry.value);
    return wrong ? known->full_name() + " " + *wrong : std::string{};
  }

  std::string file_;
  option_list& options_;
  std::vector<std::string>& problems_;
  std::map<std::string, int32_t> lines_;
  std::set<std::string> reported_; ///< Unknown sections: one line each is enough.
};

caf::error as_error(const std::vector<std::string>& problems) {
  std::string text;
  for (const auto& x : problems)
    text += (text.empty() ? "" : "\n") + x;
  return caf::make_error(ec::invalid_config, text);
}

} // namespace

environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const auto* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0')
      return std::nullopt;
    return value;
  };
}

settings::settings() : options_(make_options(values_)) {
  register_messages(*this);
}

caf::expected<std::unique_ptr<settings>> settings::load(const arguments& args,
                                                        const environment& env) {
  std::unique_ptr<settings> result{new settings};
  std::vector<std::string> problems;
  auto file = args.config_file ? args.config_file : env("NOTIFYD_CONFIG");
  if (file)
    result->read_file(*file, problems);
  result->read_command_line(args, problems);
  result->make_paths_absolute();
  // Values that were refused kept their defaults: what follows would only add false problems.
  if (!problems.empty())
    return as_error(problems);
  problems = check_together(result->values_);
  if (problems.empty()) {
    result->fill_service();
    result->read_passwords(env, problems);
  }
  if (!problems.empty())
    return as_error(problems);
  return result;
}

void settings::read_file(const std::string& path, std::vector<std::string>& problems) {
  auto text = read_text_file(path);
  if (!text) {
    problems.push_back(problem_text(text.error()));
    return;
  }
  config_folder_ = fs::absolute(path).parent_path().string();
  auto entries = read_ini(*text);
  if (!entries) {
    problems.push_back(path + ":" + problem_text(entries.error()));
    return;
  }
  entry_reader reader{path, options_, problems};
  for (const auto& entry : *entries)
    reader.take(entry);
}

void settings::read_command_line(const arguments& args, std::vector<std::string>& problems) {
  for (const auto& x : args.settings) {
    auto* known = find_option(options_, x.section, x.name);
    if (known == nullptr) {
      problems.push_back("command line: unknown option --" + x.section + "." + x.name);
      continue;
    }
    if (auto wrong = known->assign_text(x.text))
      problems.push_back("command line: " + known->full_name() + " " + *wrong);
    else if (known->holds_secret())
      problems.push_back("command line: " + known->full_name()
                         + " must not carry a password, because others can see command lines; "
                           "use a file or the environment");
    from_command_line_.push_back(known);
  }
}

void settings::make_paths_absolute() {
  for (auto& x : options_) {
    auto* path = x.path_target();
    if (path == nullptr || path->empty())
      continue;
    auto typed = std::count(from_command_line_.begin(), from_command_line_.end(), &x) != 0;
    auto folder = typed || config_folder_.empty() ? fs::current_path() : fs::path{config_folder_};
    *path = (folder / *path).lexically_normal().string();
  }
}

std::map<std::string, std::string> settings::named_paths() const {
  std::map<std::string, std::string> result;
  for (const auto& x : options_)
    if (const auto* path = x.path_target(); path != nullptr && !path->empty())
      result.emplace(x.full_name(), *path);
  return result;
}

void settings::fill_service() {
  service_ = values_.service;
  if (service_.instance.empty())
    service_.instance = default_instance();
  std::erase_if(service_.channels, [](const auto& x) { return x.second.provider.empty(); });
  auto threads = values_.scheduler.max_threads;
  if (threads == 0)
    threads = std::max(2u, std::thread::hardware_concurrency());
  set("scheduler.max-threads", threads);
  set("scheduler.max-throughput", values_.scheduler.max_throughput);
}

std::string problem_text(const caf::error& err) {
  if (err && err == ec::invalid_config && err.context().size() == 1
      && err.context().match_element<std::string>(0))
    return err.context().get_as<std::string>(0);
  return render(err);
}

} // namespace notify

#pragma once

#include "tools/arguments.hpp"
#include "tools/option_table.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/expected.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// Looks up an environment variable; unset and empty ones are nothing.
using environment = std::function<std::optional<std::string>(const std::string&)>;

/// The process's own environment.
environment process_environment();

/// The settings of this process, read once at start: defaults, then the configuration file, then
/// the command line. Passwords come from the environment or from files.
///
/// CAF's own reading of files and arguments is not used, because it passes over unknown names and
/// wrong types and reads a file in the working directory unasked. Its grammar is used.
class settings : public caf::actor_system_config {
public:
  /// Reads everything and checks it. The error (`ec::invalid_config`) holds one line per problem,
  /// each with its place or the names of its options.
  static caf::expected<std::unique_ptr<settings>> load(const arguments& args,
                                                       const environment& env);

  /// Only the active channels, with passwords and absolute paths.
  const service_config& service() const { return service_; }

  const http_config& http() const { return values_.http; }

  const inspection_config& inspection() const { return values_.inspection; }

  const logging_config& logging() const { return values_.logging; }

  /// Every file and folder that a setting names, by the setting's full name.
  std::map<std::string, std::string> named_paths() const;

  /// The effective settings as a configuration file with secrets masked.
  std::string dump() const;

  /// The options whose values differ from `before`'s, in the order of the reference; secrets count
  /// by the option that names their place. Of channels that are off only `provider` counts.
  std::vector<std::string> changes_since(const settings& before) const;

  /// An error if a password is the mask that `dump` puts in its place: fit to look at, not to
  /// connect with.
  caf::error check_passwords() const;

private:
  settings();

  /// Each takes what it can and adds a line for what it cannot.
  void read_file(const std::string& path, std::vector<std::string>& problems);
  void read_command_line(const arguments& args, std::vector<std::string>& problems);
  void read_passwords(const environment& env, std::vector<std::string>& problems);
  void read_tracing_headers(std::vector<std::string>& problems);
  void read_channel_secrets(const std::string& name, channel_config& channel,
                            const environment& env, std::vector<std::string>& problems);
  void read_webhook_secrets(const std::string& name, webhook_config& webhook,
                            const environment& env, std::vector<std::string>& problems);
  void make_paths_absolute();
  void fill_service();

  std::optional<std::string> read_password(const std::string& option_name, const std::string& file,
                                           const std::string& variable, const environment& env,
                                           std::vector<std::string>& problems);

  setting_values values_;
  option_list options_; ///< Bound to `values_`.
  std::string config_folder_;
  std::vector<const option*> from_command_line_;
  service_config service_;
  std::vector<std::pair<std::string, std::string>> password_origins_; ///< Section, where from.
};

/// What is wrong with values that are fine each on its own, one line per problem.
std::vector<std::string> check_together(const setting_values& values);

/// What is wrong with further librdkafka properties, one line per problem.
std::vector<std::string> check_kafka_properties(const property_map& properties);

/// The text of an error for a person at a terminal: the lines of `settings::load` as they are,
/// others rendered.
std::string problem_text(const caf::error& err);

} // namespace notify

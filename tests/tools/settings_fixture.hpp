#pragma once

#include "messages/error.hpp"
#include "tests/support/temp_folder.hpp"
#include "tools/settings.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace notify::test {

/// Loads settings from texts instead of from this process's files and environment.
struct settings_fixture {
  temp_folder folder;
  std::map<std::string, std::string> variables;

  environment env() const {
    return [this](const std::string& name) -> std::optional<std::string> {
      auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional{found->second};
    };
  }

  /// Reads `words` as a command line, with `file` as the text of the configuration file.
  caf::expected<std::unique_ptr<settings>> load(const std::string& file,
                                                std::vector<std::string> words = {}) {
    words.push_back("--config=" + folder.write("notifyd.ini", file));
    setting_values defaults;
    auto options = make_options(defaults);
    auto args = read_arguments(words, options);
    if (!args)
      return args.error();
    return settings::load(*args, env());
  }

  /// Loads what must be good.
  std::unique_ptr<settings> good(const std::string& file, std::vector<std::string> words = {}) {
    auto result = load(file, std::move(words));
    INFO(file);
    INFO((result ? std::string{} : problem_text(result.error())));
    REQUIRE(result);
    return std::move(*result);
  }

  /// Loads what must be bad, and returns why, without the temporary folder's name.
  std::string refusal(const std::string& file, std::vector<std::string> words = {}) {
    auto result = load(file, std::move(words));
    INFO(file);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    auto text = problem_text(result.error());
    auto prefix = folder.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
};

} // namespace notify::test

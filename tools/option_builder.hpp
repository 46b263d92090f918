#pragma once

#include "tools/option.hpp"

#include <string>
#include <utility>
#include <vector>

namespace notify {

/// Adds options of one section to a list.
class section {
public:
  section(option_list& out, std::string name) : out_(out), name_(std::move(name)) {}

  /// The reference is valid until the next call.
  template <class T>
  option& add(const char* name, T& variable, const char* description) {
    return out_.emplace_back(name_, name, &variable, description);
  }

  option& add(const char* name, named_value variable, const char* description) {
    return out_.emplace_back(name_, name, std::move(variable), description);
  }

  option& add(const char* name, parsed_list variable, const char* description) {
    return out_.emplace_back(name_, name, std::move(variable), description);
  }

  /// Binds an enum to its names, which are also the choices.
  template <class Enum>
  option& add(const char* name, Enum& variable, std::vector<std::pair<std::string, Enum>> names,
              const char* description) {
    std::vector<std::string> choices;
    choices.reserve(names.size());
    for (const auto& x : names)
      choices.push_back(x.first);
    named_value bound{[&variable, names] {
                        for (const auto& [text, value] : names)
                          if (value == variable)
                            return text;
                        return std::string{};
                      },
                      [&variable, names](const std::string& text) {
                        for (const auto& [name_of, value] : names)
                          if (name_of == text)
                            variable = value;
                      }};
    return add(name, std::move(bound), description).one_of(std::move(choices));
  }

private:
  option_list& out_;
  std::string name_;
};

} // namespace notify

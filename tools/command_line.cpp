#include "tools/command_line.hpp"

#include "messages/error.hpp"
#include "messages/nearest.hpp"

#include <caf/message.hpp>

#include <algorithm>
#include <charconv>

namespace notify::cli {

namespace {

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_config, std::move(text));
}

const option* find(std::span<const option> known, std::string_view name) {
  auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& x) { return x.name == name; });
  return found != known.end() ? &*found : nullptr;
}

caf::error unknown_option(std::string_view name, std::span<const option> known) {
  std::vector<std::string> names{"help"};
  for (const auto& x : known)
    names.emplace_back(x.name);
  auto text = "unknown option --" + std::string{name};
  if (auto other = nearest(name, names); !other.empty())
    text += ", did you mean --" + other + "?";
  return refuse(std::move(text));
}

/// Takes the option at the front of `words`, with its value if that is the next word.
caf::error take_option(std::span<const char* const>& words, std::span<const option> known,
                       arguments& result) {
  auto word = std::string_view{words.front()}.substr(2);
  words = words.subspan(1);
  auto equals = word.find('=');
  auto name = word.substr(0, equals);
  const auto* found = find(known, name);
  if (found == nullptr)
    return unknown_option(name, known);
  auto label = "--" + std::string{name};
  if (result.has(name))
    return refuse(label + " is given twice");
  if (found->value.empty()) {
    if (equals != std::string_view::npos)
      return refuse(label + " takes no value");
    result.options.emplace(name, "");
    return caf::none;
  }
  if (equals != std::string_view::npos) {
    result.options.emplace(name, word.substr(equals + 1));
    return caf::none;
  }
  if (words.empty())
    return refuse(label + " needs a value: " + std::string{found->value});
  result.options.emplace(name, words.front());
  words = words.subspan(1);
  return caf::none;
}

} // namespace

const std::string& arguments::at(std::string_view name) const {
  static const std::string none;
  auto found = options.find(name);
  return found != options.end() ? found->second : none;
}

caf::expected<arguments> parse(std::span<const char* const> words, std::span<const option> known) {
  arguments result;
  while (!words.empty()) {
    std::string_view word = words.front();
    if (word == "--help" || word == "-h") {
      result.options.emplace("help", "");
      words = words.subspan(1);
    } else if (word == "--") {
      result.rest.insert(result.rest.end(), words.begin() + 1, words.end());
      break;
    } else if (word.starts_with("--")) {
      if (auto error = take_option(words, known, result))
        return error;
    } else if (word.size() > 1 && word.front() == '-') {
      return refuse("unknown option " + std::string{word});
    } else {
      result.rest.emplace_back(word);
      words = words.subspan(1);
    }
  }
  for (const auto& x : known)
    if (!x.fallback.empty())
      result.options.emplace(x.name, x.fallback); // Changes nothing if it was given.
  return result;
}

caf::expected<int64_t> number(const arguments& from, std::string_view name, int64_t lowest,
                              int64_t highest) {
  const auto& text = from.at(name);
  int64_t value = 0;
  const auto* end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end || value < lowest || value > highest)
    return refuse("--" + std::string{name} + " must be a number from " + std::to_string(lowest)
                  + " to " + std::to_string(highest) + ", not '" + text + "'");
  return value;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    auto comma = text.find(',');
    if (auto part = text.substr(0, comma); !part.empty())
      result.emplace_back(part);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return result;
}

std::string describe(std::span<const option> known) {
  constexpr size_t column = 28;
  std::string result;
  for (const auto& x : known) {
    auto line = "  --" + std::string{x.name};
    if (!x.value.empty())
      line += "=" + std::string{x.value};
    line.resize(std::max(line.size() + 2, column), ' ');
    result += line + std::string{x.help};
    if (!x.fallback.empty())
      result += " (default: " + std::string{x.fallback} + ")";
    result += '\n';
  }
  return result;
}

std::string message(const caf::error& error) {
  // These are made for people: their context says it all.
  auto is_plain = error == ec::invalid_config || error == ec::invalid_request
                  || error == ec::not_found || error == ec::wrong_state || error == ec::stopping;
  const auto& context = error.context();
  if (is_plain && context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  return render(error);
}

} // namespace notify::cli

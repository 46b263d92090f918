#include "tools/option.hpp"

#include "tools/value_text.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

template <class... Fs>
struct overload : Fs... {
  using Fs::operator()...;
};
// For clang 14, which does not deduce an aggregate's arguments.
template <class... Fs>
overload(Fs...) -> overload<Fs...>;

std::string list_of_texts(const std::vector<std::string>& xs) {
  std::vector<std::string> items;
  std::transform(xs.begin(), xs.end(), std::back_inserter(items), quoted_text);
  return list_text(items);
}

std::string real_text(double x) {
  auto result = std::to_string(x);
  result.erase(result.find_last_not_of('0') + 1);
  return result.back() == '.' ? result + "0" : result;
}

} // namespace

option::option(std::string section, std::string name, target value, std::string description)
    : section_(std::move(section)), name_(std::move(name)), target_(std::move(value)),
      description_(std::move(description)) {
  if (std::holds_alternative<uint16_t*>(target_))
    high_ = std::numeric_limits<uint16_t>::max();
  if (std::holds_alternative<int32_t*>(target_) || std::holds_alternative<uint32_t*>(target_))
    high_ = std::numeric_limits<int32_t>::max();
}

std::string option::type() const {
  return std::visit(overload{[](bool*) { return "true or false"; },
                             [](double*) { return "number"; },
                             [](caf::timespan*) { return "duration"; },
                             [this](std::string*) { return choices_.empty() ? "text" : "choice"; },
                             [](std::vector<std::string>*) { return "list of texts"; },
                             [](std::vector<caf::timespan>*) { return "list of durations"; },
                             [](property_map*) { return "list of \"name=value\""; },
                             [](const named_value&) { return "choice"; },
                             [](const parsed_list&) { return "list of texts"; },
                             [](auto*) { return "whole number"; }},
                    target_);
}

std::string option::range() const {
  if (!choices_.empty())
    return quoted_choices();
  if (std::holds_alternative<caf::timespan*>(target_))
    return time_range();
  auto is_number = std::holds_alternative<double*>(target_) || type() == "whole number";
  if (is_number && high_ != std::numeric_limits<int64_t>::max())
    return std::to_string(low_) + " to " + std::to_string(high_);
  if (is_number)
    return "at least " + std::to_string(low_);
  return not_empty_ ? "not empty" : "";
}

std::string option::time_range() const {
  if (high_time_ != caf::timespan::max())
    return duration_text(low_time_) + " to " + duration_text(high_time_);
  return "at least " + duration_text(low_time_);
}

std::string option::show() const {
  return std::visit(
      overload{[](const bool* x) -> std::string { return *x ? "true" : "false"; },
               [](const double* x) { return real_text(*x); },
               [](const caf::timespan* x) { return duration_text(*x); },
               [this](const std::string* x) { return quoted_text(masked(*x)); },
               [](const std::vector<std::string>* xs) { return list_of_texts(*xs); },
               [](const parsed_list& xs) { return list_of_texts(xs.get()); },
               [](const std::vector<caf::timespan>* xs) {
                 std::vector<std::string> items;
                 std::transform(xs->begin(), xs->end(), std::back_inserter(items), duration_text);
                 return list_text(items);
               },
               [this](const property_map* xs) {
                 std::vector<std::string> items;
                 for (const auto& [key, value] : *xs)
                   items.push_back(quoted_text(masked(std::string{key}.append("=").append(value))));
                 return list_text(items);
               },
               [](const named_value& x) { return quoted_text(x.get()); },
               [](const auto* x) { return std::to_string(*x); }},
      target_);
}

bool option::holds_secret() const {
  if (const auto* text = std::get_if<std::string*>(&target_))
    return masked(**text) != **text;
  if (const auto* map = std::get_if<property_map*>(&target_))
    return std::any_of((*map)->begin(), (*map)->end(), [this](const auto& x) {
      auto entry = x.first + "=" + x.second;
      return masked(entry) != entry;
    });
  return false;
}

std::string* option::path_target() {
  return path_ ? std::get<std::string*>(target_) : nullptr;
}

const std::string* option::path_target() const {
  return path_ ? std::get<std::string*>(target_) : nullptr;
}

option& option::at_least(int64_t low) {
  low_ = low;
  return *this;
}

option& option::between(int64_t low, int64_t high) {
  low_ = low;
  high_ = high;
  return *this;
}

option& option::at_least(caf::timespan low) {
  low_time_ = low;
  return *this;
}

option& option::between(caf::timespan low, caf::timespan high) {
  low_time_ = low;
  high_time_ = high;
  return *this;
}

option& option::one_of(std::vector<std::string> choices) {
  choices_ = std::move(choices);
  return *this;
}

option& option::not_empty() {
  not_empty_ = true;
  return *this;
}

option& option::measured_in(std::string unit) {
  unit_ = std::move(unit);
  return *this;
}

option& option::default_is(std::string words) {
  default_words_ = std::move(words);
  return *this;
}

option& option::is_a_path() {
  path_ = true;
  return *this;
}

option& option::masked_by(std::function<std::string(const std::string&)> mask) {
  mask_ = std::move(mask);
  return *this;
}

std::string option::quoted_choices() const {
  std::string result;
  for (size_t i = 0; i < choices_.size(); ++i) {
    if (i > 0)
      result += i + 1 == choices_.size() ? " or " : ", ";
    result += quoted_text(choices_[i]);
  }
  return result;
}

option* find_option(option_list& options, std::string_view section, std::string_view name) {
  auto found = std::find_if(options.begin(), options.end(), [&](const option& x) {
    return x.section() == section && x.name() == name;
  });
  return found == options.end() ? nullptr : &*found;
}

} // namespace notify

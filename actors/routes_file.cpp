#include "actors/routing.hpp"

#include "actors/strict_json.hpp"
#include "actors/text_file.hpp"
#include "messages/duration_text.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"

#include <algorithm>
#include <optional>

namespace notify {

namespace {

namespace json = boost::json;

caf::error invalid(std::string place, std::string_view what) {
  place += ": ";
  place += what;
  return caf::make_error(ec::invalid_config, std::move(place));
}

std::string unknown_key(std::string_view key, const std::vector<std::string>& known) {
  auto result = "unknown key `" + std::string{key} + "`";
  if (auto guess = nearest(key, known); !guess.empty())
    result += ", did you mean `" + guess + "`?";
  return result;
}

/// `line 3, column 14` of a byte in a text.
std::string line_and_column(std::string_view text, size_t position) {
  auto before = text.substr(0, position);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  auto start = before.rfind('\n');
  auto column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Names that also become folder names, metric labels and addresses.
bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 200
         && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-")
                == std::string_view::npos
         && text.front() != '.';
}

bool is_locale(std::string_view text) {
  return !text.empty() && text.size() <= 35
         && text.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
                == std::string_view::npos;
}

/// Splits `buyer.email` at its dots; nothing if a part is empty.
std::optional<std::vector<std::string>> split_path(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    auto dot = text.find('.');
    auto key = text.substr(0, dot);
    if (key.empty())
      return std::nullopt;
    result.emplace_back(key);
    if (dot == std::string_view::npos)
      return result;
    text.remove_prefix(dot + 1);
  }
}

/// Reads one entry of `routes`; after a failure `error` is set.
class route_reader {
public:
  route_reader(const json::object& entry, std::string place)
      : entry_(entry), place_(std::move(place)) {}

  bool read(std::string& event_type, route& x) {
    return check_keys() && read_name("event_type", event_type) && read_name("channel", x.channel)
           && read_path("recipient", true, x.recipient_path)
           && read_name("template", x.template_key) && read_path("locale", false, x.locale_path)
           && read_default_locale(x) && read_path("not_before", false, x.not_before_path)
           && read_path("expires_at", false, x.expires_at_path) && read_duration("delay", x.delay)
           && read_duration("expires_after", x.expires_after) && read_optional(x);
  }

  caf::error take_error() { return std::move(error_); }

private:
  bool fail(std::string_view key, std::string_view what) {
    error_ = invalid(place_ + "." + std::string{key}, what);
    return false;
  }

  bool check_keys() {
    static const std::vector<std::string> known = {
        "event_type", "channel",    "recipient", "template",      "locale",  "default_locale",
        "not_before", "expires_at", "delay",     "expires_after", "optional"};
    for (const auto& member : entry_) {
      std::string key{std::string_view{member.key()}};
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        error_ = invalid(place_, unknown_key(key, known));
        return false;
      }
    }
    return true;
  }

  bool read_string(std::string_view key, bool required, std::string_view& text) {
    const auto* member = entry_.if_contains(key);
    if (member == nullptr)
      return !required || fail(key, "is missing");
    if (!member->is_string())
      return fail(key, "must be a string");
    text = member->get_string();
    return true;
  }

  bool read_name(std::string_view key, std::string& result) {
    std::string_view text;
    if (!read_string(key, true, text))
      return false;
    if (!is_plain_name(text))
      return fail(key, "must be 1 to 200 of a-z, 0-9, dot, hyphen and underscore");
    result = text;
    return true;
  }

  bool read_path(std::string_view key, bool required, std::vector<std::string>& result) {
    std::string_view text;
    if (!read_string(key, required, text))
      return false;
    if (text.empty() && !required && !entry_.contains(key))
      return true;
    auto path = split_path(text);
    if (!path)
      return fail(key, "must name a member of the payload, such as `email` or `buyer.email`");
    result = std::move(*path);
    return true;
  }

  bool read_default_locale(route& x) {
    std::string_view text = x.default_locale;
    if (!read_string("default_locale", false, text))
      return false;
    if (!is_locale(text))
      return fail("default_locale", "must be a language tag, such as `en` or `pt-BR`");
    x.default_locale = std::string{text};
    return true;
  }

  bool read_duration(std::string_view key, std::optional<caf::timespan>& result) {
    std::string_view text;
    if (!read_string(key, false, text))
      return false;
    if (!entry_.contains(key))
      return true;
    result = parse_duration(text);
    return (result && result->count() > 0)
           || fail(key, "must be a duration longer than 0s, such as 90s, 10min or 72h");
  }

  bool read_optional(route& x) {
    const auto* member = entry_.if_contains("optional");
    if (member != nullptr && !member->is_bool())
      return fail("optional", "must be true or false");
    x.optional = member != nullptr && member->get_bool();
    return true;
  }

  const json::object& entry_;
  std::string place_;
  caf::error error_;
};

/// The list under the one key that the file has.
caf::expected<json::array> read_list(std::string_view text) {
  auto document = read_json(text, {});
  if (document.fault != json_fault::none)
    return invalid(line_and_column(text, document.position), "not valid JSON");
  const auto* root = document.value.if_object();
  if (root == nullptr)
    return invalid("the file", "must be an object with the key `routes`");
  for (const auto& member : *root) {
    if (member.key() != "routes")
      return invalid("the file", unknown_key(member.key(), {"routes"}));
  }
  const auto* list = root->if_contains("routes");
  if (list == nullptr || !list->is_array())
    return invalid("routes", "must be a list");
  return list->get_array();
}

bool same_notification(const route& a, const route& b) {
  return a.channel == b.channel && a.recipient_path == b.recipient_path
         && a.template_key == b.template_key;
}

} // namespace

caf::expected<routing_table> routing_table::parse(std::string_view text) {
  auto list = read_list(text);
  if (!list)
    return std::move(list.error());
  routing_table result;
  for (size_t i = 0; i < list->size(); ++i) {
    auto place = "routes[" + std::to_string(i) + "]";
    const auto* entry = list->at(i).if_object();
    if (entry == nullptr)
      return invalid(place, "must be an object");
    std::string event_type;
    route x;
    route_reader reader{*entry, place};
    if (!reader.read(event_type, x))
      return reader.take_error();
    auto& known = result.routes_[event_type];
    if (std::any_of(known.begin(), known.end(),
                    [&](const auto& other) { return same_notification(x, other); }))
      return invalid(place, "says the same as an earlier route");
    known.push_back(std::move(x));
  }
  return result;
}

caf::expected<routing_table> routing_table::load(const std::string& path) {
  std::string text;
  std::string problem;
  if (!read_text_file(path, text, problem))
    return invalid(path, problem);
  auto result = parse(text);
  if (!result && !result.error().context().empty())
    return invalid(path, result.error().context().get_as<std::string>(0));
  return result;
}

} // namespace notify

#include "actors/routing.hpp"

#include "actors/event_time.hpp"
#include "actors/job_id.hpp"
#include "actors/recipient.hpp"
#include "messages/error.hpp"
#include "messages/refusal_reason.hpp"

#include <algorithm>
#include <chrono>

namespace notify {

namespace {

namespace json = boost::json;

constexpr size_t max_locale_bytes = 35; // The longest tag that RFC 5646 asks everyone to bear.

const json::value* find_value(const json::object& payload, const std::vector<std::string>& path) {
  const auto* here = &payload;
  const json::value* value = nullptr;
  for (const auto& key : path) {
    if (here == nullptr)
      return nullptr;
    value = here->if_contains(key);
    if (value == nullptr || value->is_null())
      return nullptr;
    here = value->if_object();
  }
  return value;
}

std::string to_text(const std::vector<std::string>& path) {
  std::string result;
  for (const auto& key : path) {
    if (!result.empty())
      result += '.';
    result += key;
  }
  return result;
}

caf::error refuse(refusal_reason reason, const route& x, const std::vector<std::string>& path,
                  std::string_view what) {
  auto detail = "`payload." + to_text(path) + "` for channel " + x.channel + " ";
  detail += what;
  return caf::make_error(ec::invalid_event, to_string(reason), std::move(detail));
}

/// The recipient's text: empty if the payload has none.
caf::expected<std::string> find_recipient(const route& x, const json::object& payload) {
  const auto* value = find_value(payload, x.recipient_path);
  if (value == nullptr)
    return std::string{};
  std::string text;
  if (value->is_string())
    text = std::string_view{value->get_string()};
  else if (value->is_int64())
    text = std::to_string(value->get_int64());
  else if (value->is_uint64())
    text = std::to_string(value->get_uint64());
  else
    return refuse(refusal_reason::invalid_recipient, x, x.recipient_path,
                  "must be a string or an integer");
  if (text.empty())
    return text;
  if (auto problem = recipient_problem(x.channel, text); !problem.empty())
    return refuse(refusal_reason::invalid_recipient, x, x.recipient_path, problem);
  return text;
}

/// A language tag as templates are looked up by; whatever is not one means the default.
std::string find_locale(const route& x, const json::object& payload) {
  const auto* value = x.locale_path.empty() ? nullptr : find_value(payload, x.locale_path);
  if (value == nullptr || !value->is_string())
    return x.default_locale;
  std::string result{std::string_view{value->get_string()}};
  std::replace(result.begin(), result.end(), '_', '-');
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  if (result.empty() || result.size() > max_locale_bytes
      || result.find_first_not_of(allowed) != std::string::npos)
    return x.default_locale;
  return result;
}

using optional_time = std::optional<int64_t>;

/// A time that the payload may have: none if it is absent, null or empty.
caf::expected<optional_time> find_time(refusal_reason reason, const route& x,
                                       const std::vector<std::string>& path,
                                       const json::object& payload) {
  const auto* value = path.empty() ? nullptr : find_value(payload, path);
  if (value == nullptr)
    return optional_time{};
  const auto* text = value->if_string();
  if (text != nullptr && text->empty())
    return optional_time{};
  auto time = text != nullptr ? parse_event_time(*text) : std::nullopt;
  if (!time)
    return refuse(reason, x, path, "must be an RFC 3339 time");
  return time;
}

optional_time after(const event& x, const std::optional<caf::timespan>& distance) {
  if (!distance)
    return std::nullopt;
  return x.occurred_at_us
         + std::chrono::duration_cast<std::chrono::microseconds>(*distance).count();
}

/// When the job may be sent: of two earliest times the later one holds, of two latest the earlier.
caf::error set_times(new_job& job, const route& r, const event& x, const json::object& payload) {
  auto not_before = find_time(refusal_reason::invalid_not_before, r, r.not_before_path, payload);
  if (!not_before)
    return std::move(not_before.error());
  auto expires_at = find_time(refusal_reason::invalid_expires_at, r, r.expires_at_path, payload);
  if (!expires_at)
    return std::move(expires_at.error());
  job.not_before_us = std::max(*not_before, after(x, r.delay)); // Nothing is before everything.
  job.expires_at_us = after(x, r.expires_after);
  if (!job.expires_at_us || (*expires_at && **expires_at < *job.expires_at_us))
    job.expires_at_us = *expires_at;
  return {};
}

} // namespace

caf::expected<std::vector<new_job>> routing_table::jobs_for(const event& x,
                                                            const json::object& payload) const {
  std::vector<new_job> result;
  auto found = routes_.find(x.type);
  if (found == routes_.end())
    return result;
  for (const auto& r : found->second) {
    auto recipient = find_recipient(r, payload);
    if (!recipient)
      return std::move(recipient.error());
    if (recipient->empty()) {
      if (r.optional)
        continue;
      return refuse(refusal_reason::missing_route_data, r, r.recipient_path, "is missing");
    }
    auto id = make_job_id(x.event_id, x.occurred_at_us, r.channel, *recipient, r.template_key);
    if (std::any_of(result.begin(), result.end(), [&](const auto& job) { return job.id == id; }))
      continue;
    new_job job{id,
                x.event_id,
                x.type,
                r.channel,
                std::move(*recipient),
                r.template_key,
                find_locale(r, payload),
                {},
                {}};
    if (auto err = set_times(job, r, x, payload))
      return err;
    result.push_back(std::move(job));
  }
  return result;
}

} // namespace notify

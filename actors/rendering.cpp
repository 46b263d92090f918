#include "actors/rendering.hpp"

#include "actors/event_message.hpp"
#include "actors/sha256.hpp"
#include "actors/strict_json.hpp"
#include "actors/template_folder.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"

#include <algorithm>

namespace notify {

namespace {

/// The ingest path decides how deep a payload may be; this only keeps the stack safe.
constexpr size_t max_payload_depth = 512;

caf::error invalid(std::string what) {
  return caf::make_error(ec::invalid_template, std::move(what));
}

/// A line break or another control character in a subject would end its header line.
bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

class mustache_template_set : public template_set {
public:
  explicit mustache_template_set(template_map templates) : templates_(std::move(templates)) {}

  bool contains(const std::string& key) const override {
    return key == event_template_key || templates_.count(key) > 0;
  }

  caf::expected<rendered_message> render(const delivery_job& job) const override {
    auto result = job.template_key == event_template_key ? render_event(job) : render_parts(job);
    if (result)
      result->content_hash = to_hex(sha256_of_parts({result->subject, result->text, result->html}));
    return result;
  }

  bool same_as(const template_set& other) const override {
    const auto* x = dynamic_cast<const mustache_template_set*>(&other);
    return x != nullptr && templates_ == x->templates_;
  }

private:
  using locale_map = template_map::mapped_type;

  static caf::expected<rendered_message> render_event(const delivery_job& job) {
    auto payload = read_payload(job);
    if (!payload)
      return std::move(payload.error());
    rendered_message result;
    result.text = event_message(job);
    return result;
  }

  caf::expected<rendered_message> render_parts(const delivery_job& job) const {
    auto locales = templates_.find(job.template_key);
    if (locales == templates_.end())
      return no_such_key(job.template_key);
    auto found = find_locale(locales->second, job.locale);
    if (found == locales->second.end())
      return invalid(job.template_key + ": has neither locale `" + job.locale + "` nor `en`");
    auto payload = read_payload(job);
    if (!payload)
      return std::move(payload.error());
    auto language = std::string_view{found->first}.substr(0, found->first.find('-'));
    render_context context{job, *payload, language};
    return render_parts(found->second, context);
  }

  static caf::expected<boost::json::object> read_payload(const delivery_job& job) {
    json_options options;
    options.max_depth = max_payload_depth;
    options.numbers_as_text = true;
    auto document = read_json(job.payload, options);
    auto* payload = document.value.if_object();
    if (document.fault != json_fault::none || payload == nullptr)
      return invalid(job.template_key + ": the payload is not a JSON object");
    return std::move(*payload);
  }

  caf::error no_such_key(const std::string& key) const {
    std::vector<std::string> known{std::string{event_template_key}};
    for (const auto& entry : templates_)
      known.push_back(entry.first);
    auto guess = nearest(key, known);
    return invalid("there is no template `" + key + "`"
                   + (guess.empty() ? "" : ", did you mean `" + guess + "`?"));
  }

  /// `zh-Hant-TW`, then `zh-Hant`, then `zh`, then `en`.
  static locale_map::const_iterator find_locale(const locale_map& locales,
                                                const std::string& wanted) {
    for (auto locale = normal_locale(wanted); !locale.empty();) {
      if (auto found = locales.find(locale); found != locales.end())
        return found;
      auto dash = locale.rfind('-');
      locale.resize(dash == std::string::npos ? 0 : dash);
    }
    return locales.find("en");
  }

  static caf::expected<rendered_message> render_parts(const template_parts& parts,
                                                      render_context& context) {
    rendered_message result;
    auto render_part = [&](const std::optional<template_part>& part, std::string& out) {
      return !part || part->render(context, out);
    };
    if (!render_part(parts.subject, result.subject))
      return invalid(parts.subject->name() + ": " + context.problem());
    if (!is_one_line(result.subject))
      return invalid(parts.subject->name() + ": the subject has a control character or line break");
    if (!render_part(parts.text, result.text))
      return invalid(parts.text->name() + ": " + context.problem());
    if (!render_part(parts.html, result.html))
      return invalid(parts.html->name() + ": " + context.problem());
    return result;
  }

  const template_map templates_;
};

} // namespace

caf::expected<std::shared_ptr<const template_set>> template_set::load(const std::string& folder) {
  auto templates = load_templates(folder);
  if (!templates)
    return std::move(templates.error());
  std::shared_ptr<const template_set> result =
      std::make_shared<mustache_template_set>(std::move(*templates));
  return result;
}

} // namespace notify

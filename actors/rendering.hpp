#pragma once

#include "messages/delivery.hpp"

#include <caf/expected.hpp>

#include <memory>
#include <string>

namespace notify {

/// The templates of a folder, parsed once. Immutable and thread-safe.
///
/// A template is addressed by its versioned key and a locale: `KEY/LOCALE/subject.mustache`,
/// `text.mustache` and, for e-mail, `html.mustache`. Variables are those of the event's payload
/// plus `event_id`, `event_type`, `occurred_at` and `amount` (see docs). Strict: a variable that
/// is missing is an error. HTML parts are escaped, text parts are not.
///
/// One key is built in and needs no files: `event.v1`, the event itself as JSON.
class template_set {
public:
  /// Reads every template below `folder`; the error names the file and what is wrong.
  static caf::expected<std::shared_ptr<const template_set>> load(const std::string& folder);

  virtual ~template_set() = default;

  /// True if `key` exists in any locale.
  virtual bool contains(const std::string& key) const = 0;

  /// Deterministic: the same job renders to the same bytes. `ec::invalid_template` says which
  /// variable of which file is missing. A locale that `key` does not have falls back from
  /// `ru-RU` to `ru` to `en`.
  virtual caf::expected<rendered_message> render(const delivery_job& job) const = 0;

  /// True if it surely renders everything as `other` does.
  virtual bool same_as(const template_set& other) const { return this == &other; }
};

using template_set_ptr = std::shared_ptr<const template_set>;

} // namespace notify

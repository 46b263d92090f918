#pragma once

#include "actors/template_part.hpp"

#include <caf/expected.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// The files of one template in one locale.
struct template_parts {
  std::optional<template_part> subject;
  std::optional<template_part> text; ///< Always there after loading.
  std::optional<template_part> html;

  bool operator==(const template_parts&) const = default;
};

/// Template key -> locale, as `normal_locale` writes it -> parts.
using template_map = std::map<std::string, std::map<std::string, template_parts>>;

/// Lower case with hyphens, so that `ru_RU` and `ru-ru` are the same.
std::string normal_locale(std::string_view locale);

/// Reads `folder`/KEY/LOCALE/PART.mustache. Names that start with a dot and files that do not end
/// in `.mustache` are left alone. `ec::invalid_template` names the file.
caf::expected<template_map> load_templates(const std::string& folder);

} // namespace notify

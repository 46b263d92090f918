#pragma once

#include "actors/render_context.hpp"

#include <caf/expected.hpp>

#include <string>
#include <string_view>

namespace notify {

/// How variables are written into a part.
enum class escaping : uint8_t { none, html };

/// One template file, parsed. Immutable and thread-safe.
///
/// Mustache with variables, sections, inverted sections and comments. Partials, other delimiters
/// and unescaped tags are refused: the part decides about escaping, not the tag.
class template_part {
public:
  /// `name` is the file's, for messages. The error names it with the line.
  static caf::expected<template_part> parse(std::string name, std::string_view text, escaping how);

  /// Appends to `out`. False if a lookup failed; `context` then says which.
  bool render(render_context& context, std::string& out) const;

  const std::string& name() const { return name_; }

  /// The same file with the same text.
  bool operator==(const template_part& x) const { return name_ == x.name_ && text_ == x.text_; }

private:
  template_part(std::string name, std::string marked, escaping how);

  std::string name_;
  std::string text_;
  // `render` is not const in the library, although it only writes an error message, which only
  // lambdas and partials can cause; neither exists here.
  mutable kainjow::mustache::mustache template_;
};

} // namespace notify

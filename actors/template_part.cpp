#include "actors/template_part.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <vector>

namespace notify {

namespace {

/// The library's own escaping writes `&apos;`, which HTML 4 mail programs show as it is.
std::string escape_html(const std::string& text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (auto c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string keep(const std::string& text) {
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_name(std::string_view text) {
  if (text == ".")
    return true;
  return !text.empty() && text.front() != '.' && text.back() != '.'
         && text.find("..") == std::string_view::npos
         && text.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
                == std::string_view::npos;
}

std::string quoted(std::string_view name) {
  std::string result{"`"};
  result += name;
  result += '`';
  return result;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

/// Checks every tag and writes the template again as the library needs it: sections with marked
/// names, line breaks as variables, and without lines that hold nothing but one section tag or
/// comment, as Mustache wants it.
class marker {
public:
  explicit marker(std::string_view text) : text_(text) {}

  /// False with `problem()` set if a tag is not allowed.
  bool run() {
    for (;;) {
      here_ = text_.find("{{", done_);
      if (here_ == std::string_view::npos)
        break;
      auto close = text_.find("}}", here_);
      if (close == std::string_view::npos)
        return fail("a tag is not closed");
      auto tag = trim(text_.substr(here_ + 2, close - here_ - 2));
      take_text(tag, close + 2);
      if (!take_tag(tag))
        return false;
    }
    add_text(text_.substr(done_));
    if (sections_.empty())
      return true;
    here_ = sections_.back().place;
    return fail("section " + quoted(sections_.back().name) + " is not closed");
  }

  const std::string& result() const { return result_; }

  /// With the line it is about.
  std::string problem() const {
    auto before = text_.substr(0, here_);
    auto line = std::count(before.begin(), before.end(), '\n') + 1;
    return "line " + std::to_string(line) + ": " + problem_;
  }

private:
  struct section {
    std::string_view name;
    size_t place;
  };

  bool fail(std::string what) {
    problem_ = std::move(what);
    return false;
  }

  void add_text(std::string_view text) {
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      result_ += text.substr(0, end);
      result_ += "{{&";
      result_ += line_break_name;
      result_ += "}}";
      text.remove_prefix(end + 1);
    }
    result_ += text;
  }

  /// Takes the text before the tag at `here_`, which ends at `close`; if the tag has its line for
  /// itself and shows nothing, the rest of that line is left out.
  void take_text(std::string_view tag, size_t close) {
    auto before = text_.rfind('\n', here_);
    auto start = here_ == 0 || before == std::string_view::npos ? 0 : before + 1;
    auto end = text_.find('\n', close);
    auto line_end = end == std::string_view::npos ? text_.size() : end;
    auto shows_nothing =
        !tag.empty() && std::string_view{"#^/!"}.find(tag.front()) != std::string_view::npos;
    if (shows_nothing && is_blank(text_.substr(start, here_ - start))
        && is_blank(text_.substr(close, line_end - close))) {
      add_text(text_.substr(done_, start - done_));
      done_ = std::min(line_end + 1, text_.size());
    } else {
      add_text(text_.substr(done_, here_ - done_));
      done_ = close;
    }
  }

  bool take_tag(std::string_view tag) {
    auto kind = tag.empty() ? '\0' : tag.front();
    switch (kind) {
    case '!':
      return true;
    case '#':
    case '^':
    case '/':
      return take_section(kind, trim(tag.substr(1)));
    case '{':
    case '&':
      return fail("unescaped tags are not allowed");
    case '>':
      return fail("partials are not allowed");
    case '=':
      return fail("other delimiters are not allowed");
    default:
      if (!is_name(tag))
        return fail(quoted(tag) + " is not a variable's name");
      result_ += "{{";
      result_ += tag;
      result_ += "}}";
      return true;
    }
  }

  bool take_section(char kind, std::string_view name) {
    if (!is_name(name))
      return fail(quoted(name) + " is not a section's name");
    if (kind != '/') {
      sections_.push_back({name, here_});
    } else {
      if (sections_.empty() || sections_.back().name != name)
        return fail("section " + quoted(name) + " ends here but is not the open one");
      sections_.pop_back();
    }
    result_ += "{{";
    result_ += kind;
    result_ += section_mark;
    result_ += name;
    result_ += "}}";
    return true;
  }

  std::string_view text_;
  std::string result_;
  std::string problem_;
  size_t here_ = 0; ///< The tag in question.
  size_t done_ = 0; ///< All before this is in the result.
  std::vector<section> sections_;
};

/// What the library writes to; a string stream would copy once more.
struct string_sink {
  std::string& out;

  string_sink& operator<<(const std::string& text) {
    out += text;
    return *this;
  }
};

} // namespace

caf::expected<template_part> template_part::parse(std::string name, std::string_view text,
                                                  escaping how) {
  marker marked{text};
  if (!marked.run())
    return caf::make_error(ec::invalid_template, name + ": " + marked.problem());
  template_part result{std::move(name), marked.result(), how};
  if (!result.template_.is_valid())
    return caf::make_error(ec::invalid_template,
                           result.name_ + ": " + result.template_.error_message());
  return result;
}

template_part::template_part(std::string name, std::string marked, escaping how)
    : name_(std::move(name)), text_(std::move(marked)), template_(text_) {
  template_.set_custom_escape(how == escaping::html ? escape_html : keep);
}

bool template_part::render(render_context& context, std::string& out) const {
  string_sink sink{out};
  template_.render(context, sink);
  return context.problem().empty();
}

} // namespace notify

#include "actors/template_folder.hpp"

#include "actors/event_message.hpp"
#include "actors/text_file.hpp"
#include "actors/utf8.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace notify {

namespace {

namespace fs = std::filesystem;

constexpr size_t max_file_bytes = 256 * 1024;

caf::error invalid(std::string place, std::string_view what) {
  place += ": ";
  place += what;
  return caf::make_error(ec::invalid_template, std::move(place));
}

bool is_plain_name(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

/// The entries of a folder by name, hidden ones left out.
caf::expected<std::vector<fs::directory_entry>> list(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> result;
  for (auto at = fs::directory_iterator{folder, error}; !error && at != fs::directory_iterator{};
       at.increment(error)) {
    if (!at->path().filename().string().starts_with('.'))
      result.push_back(*at);
  }
  if (error)
    return invalid(folder.string(), error.message());
  std::sort(result.begin(), result.end());
  return result;
}

/// A checkout on another system may have changed the line ends; the rendered bytes must not.
std::string without_carriage_returns(std::string text) {
  for (auto at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at))
    text.erase(at, 1);
  return text;
}

caf::expected<std::string> read_file(const fs::path& path, const std::string& name) {
  std::string text;
  std::string problem;
  if (!read_text_file(path.string(), text, problem))
    return invalid(name, problem);
  if (text.size() > max_file_bytes)
    return invalid(name, "is larger than 256 KiB");
  if (invalid_utf8(text) || text.find('\0') != std::string::npos)
    return invalid(name, "is not UTF-8 text");
  return without_carriage_returns(std::move(text));
}

/// Reads the templates of a folder; after a failure `error` is set.
class folder_reader {
public:
  bool read(const fs::path& root) {
    auto keys = list(root);
    if (!keys)
      return fail(std::move(keys.error()));
    for (const auto& entry : *keys) {
      if (entry.is_directory() && !read_key(entry.path()))
        return false;
    }
    return !templates_.empty() || fail(invalid(root.string(), "has no templates"));
  }

  template_map take_templates() { return std::move(templates_); }
  caf::error take_error() { return std::move(error_); }

private:
  bool fail(caf::error error) {
    error_ = std::move(error);
    return false;
  }

  bool read_key(const fs::path& folder) {
    auto key = folder.filename().string();
    if (!is_plain_name(key, "._-"))
      return fail(invalid(key, "a template's key is made of a-z, 0-9, dot, hyphen, underscore"));
    if (key == event_template_key)
      return fail(invalid(key, "is built in; give this template another key"));
    auto locales = list(folder);
    if (!locales)
      return fail(std::move(locales.error()));
    for (const auto& entry : *locales) {
      if (entry.is_directory() && !read_locale(key, entry.path()))
        return false;
    }
    return templates_.count(key) > 0 || fail(invalid(key, "has no locale"));
  }

  bool read_locale(const std::string& key, const fs::path& folder) {
    auto name = folder.filename().string();
    auto locale = normal_locale(name);
    auto place = key + "/" + name;
    if (!is_plain_name(locale, "-"))
      return fail(invalid(place, "is not a language tag, such as `en` or `pt-BR`"));
    auto files = list(folder);
    if (!files)
      return fail(std::move(files.error()));
    template_parts parts;
    for (const auto& file : *files) {
      if (file.path().extension() == ".mustache"
          && !read_part(file.path(), place + "/" + file.path().filename().string(), parts))
        return false;
    }
    if (!parts.text)
      return fail(invalid(place, "has no text.mustache"));
    return templates_[key].emplace(locale, std::move(parts)).second
           || fail(invalid(place, "is there twice"));
  }

  bool read_part(const fs::path& path, const std::string& name, template_parts& parts) {
    auto kind = path.stem().string();
    if (kind != "subject" && kind != "text" && kind != "html") {
      auto guess = nearest(kind, {"subject", "text", "html"});
      return fail(invalid(name, guess.empty() ? "must be subject, text or html"
                                              : "did you mean " + guess + ".mustache?"));
    }
    auto text = read_file(path, name);
    if (!text)
      return fail(std::move(text.error()));
    if (kind == "subject") {
      if (text->ends_with('\n'))
        text->pop_back();
      if (text->find_first_of("\r\n") != std::string::npos)
        return fail(invalid(name, "must be one line"));
    }
    auto part = template_part::parse(name, *text, kind == "html" ? escaping::html : escaping::none);
    if (!part)
      return fail(std::move(part.error()));
    auto& target = kind == "subject" ? parts.subject : kind == "text" ? parts.text : parts.html;
    target = std::move(*part);
    return true;
  }

  template_map templates_;
  caf::error error_;
};

} // namespace

std::string normal_locale(std::string_view locale) {
  std::string result{locale};
  for (auto& c : result) {
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (c == '_')
      c = '-';
  }
  return result;
}

caf::expected<template_map> load_templates(const std::string& folder) {
  folder_reader reader;
  if (!reader.read(folder))
    return reader.take_error();
  return reader.take_templates();
}

} // namespace notify

#pragma once

#include "actors/rendering.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace notify::test {

/// A folder of templates that lives as long as this.
class template_files {
public:
  template_files()
      : root_(std::filesystem::temp_directory_path()
              / ("notify-templates-" + to_string(uuid::random()))) {
    std::filesystem::create_directories(root_);
  }

  ~template_files() { std::filesystem::remove_all(root_); }

  template_files(const template_files&) = delete;
  template_files& operator=(const template_files&) = delete;

  /// Writes one file, `KEY/LOCALE/PART.mustache`.
  template_files& add(const std::string& name, const std::string& text) {
    auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << text;
    return *this;
  }

  std::string folder() const { return root_.string(); }

  caf::expected<template_set_ptr> load() const { return template_set::load(folder()); }

private:
  std::filesystem::path root_;
};

} // namespace notify::test

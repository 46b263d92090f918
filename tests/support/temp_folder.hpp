#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace notify::test {

/// A folder of its own for one test, removed with it.
class temp_folder {
public:
  temp_folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "notify-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }

  ~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    auto file = path_ / name;
    std::ofstream out{file, std::ios::binary};
    out << text;
    REQUIRE(out.good());
    return file.string();
  }

private:
  std::filesystem::path path_;
};

} // namespace notify::test

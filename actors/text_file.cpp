#include "actors/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace notify {

bool read_text_file(const std::string& path, std::string& text, std::string& problem) {
  std::error_code error;
  auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    problem = error ? error.message() : std::strerror(ENOENT);
    return false;
  }
  // A pipe would block, and a folder makes the stream throw.
  if (!std::filesystem::is_regular_file(status)) {
    problem = "is not a file";
    return false;
  }
  std::ifstream file{path, std::ios::binary};
  std::ostringstream all;
  // Inserting nothing, as from an empty file, counts as a failure of the target alone.
  all << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    problem = "cannot be read";
    return false;
  }
  text = std::move(all).str();
  return true;
}

} // namespace notify

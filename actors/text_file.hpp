#pragma once

#include <string>

namespace notify {

/// Reads a whole regular file into `text`. False with `problem` set, for people, if that fails.
bool read_text_file(const std::string& path, std::string& text, std::string& problem);

} // namespace notify

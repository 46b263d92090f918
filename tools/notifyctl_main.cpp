#include "tools/notifyctl.hpp"

#include <iostream>

int main(int argc, char** argv) {
  std::span<const char* const> words{argv, static_cast<size_t>(argc)};
  return notify::ctl::run(words.subspan(1), {std::cout, std::cerr});
}

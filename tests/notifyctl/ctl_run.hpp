#pragma once

#include "tools/notifyctl.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace notify::test {

/// What a run of notifyctl left behind.
struct ctl_outcome {
  int code = 0;
  std::string out;
  std::string err;

  size_t lines() const { return static_cast<size_t>(std::count(out.begin(), out.end(), '\n')); }

  std::string all() const { return out + err; }
};

inline ctl_outcome notifyctl(const std::vector<std::string>& words) {
  std::vector<const char*> raw;
  for (const auto& x : words)
    raw.push_back(x.c_str());
  std::ostringstream out;
  std::ostringstream err;
  auto code = ctl::run(raw, {out, err});
  return {code, out.str(), err.str()};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace notify::test

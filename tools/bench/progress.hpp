#pragma once

#include <cstdint>
#include <string>

namespace notify::bench {

/// A line on standard error that shows how far one step is. Redrawn in place on a terminal, else
/// printed at each tenth.
class progress {
public:
  progress(std::string step, uint64_t total);

  /// Draws `done` of the total.
  void show(uint64_t done);

  /// Ends the line.
  void finish();

private:
  std::string step_;
  uint64_t total_;
  uint64_t last_tenth_ = 0;
  bool terminal_;
  bool finished_ = false;
};

} // namespace notify::bench

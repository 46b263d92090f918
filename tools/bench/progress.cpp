#include "tools/bench/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace notify::bench {

progress::progress(std::string step, uint64_t total)
    : step_(std::move(step)), total_(std::max<uint64_t>(total, 1)),
      terminal_(isatty(STDERR_FILENO) == 1) {}

void progress::show(uint64_t done) {
  done = std::min(done, total_);
  auto tenth = done * 10 / total_;
  if (!terminal_ && tenth == last_tenth_)
    return;
  last_tenth_ = tenth;
  auto filled = done * 30 / total_;
  std::cerr << (terminal_ ? "\r" : "") << step_ << " [" << std::string(filled, '#')
            << std::string(30 - filled, '.') << "] " << done << " of " << total_
            << (terminal_ ? "" : "\n") << std::flush;
}

void progress::finish() {
  if (finished_)
    return;
  finished_ = true;
  if (terminal_) {
    show(total_);
    std::cerr << '\n';
  }
}

} // namespace notify::bench

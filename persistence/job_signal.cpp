#include "persistence/job_signal.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace notify {

job_signal::job_signal() : handle_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (handle_ < 0)
    throw std::system_error{errno, std::generic_category(), "eventfd"};
}

job_signal::~job_signal() {
  close(handle_);
}

void job_signal::raise(const std::vector<std::string>& channels) {
  std::lock_guard lock{mutex_};
  auto was_empty = channels_.empty();
  channels_.insert(channels.begin(), channels.end());
  // Fails only if it is full, and then it is readable already.
  if (was_empty && !channels_.empty())
    static_cast<void>(eventfd_write(handle_, 1));
}

std::set<std::string> job_signal::take() {
  std::lock_guard lock{mutex_};
  eventfd_t count = 0;
  static_cast<void>(eventfd_read(handle_, &count));
  return std::exchange(channels_, {});
}

} // namespace notify

#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace notify {

/// The threads that run all asynchronous network I/O of the process. Owns them; joins on
/// destruction after everything posted has run.
class io_threads {
public:
  explicit io_threads(size_t count);
  ~io_threads();

  io_threads(const io_threads&) = delete;
  io_threads& operator=(const io_threads&) = delete;

  boost::asio::io_context& context() { return context_; }

  /// Lets queued handlers go and joins. Safe to call twice.
  void stop();

private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

} // namespace notify

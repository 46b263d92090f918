#include "actors/providers/io_threads.hpp"

namespace notify {

io_threads::io_threads(size_t count)
    : context_(static_cast<int>(count)), work_(boost::asio::make_work_guard(context_)) {
  threads_.reserve(count);
  for (size_t i = 0; i < count; ++i)
    threads_.emplace_back([this] { context_.run(); });
}

io_threads::~io_threads() {
  stop();
}

void io_threads::stop() {
  work_.reset();
  context_.stop();
  for (auto& thread : threads_)
    if (thread.joinable())
      thread.join();
}

} // namespace notify

#include "tools/bench/notifyd_run.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <stdexcept>

extern char** environ;

namespace notify::bench {

notifyd_run::notifyd_run(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  if (posix_spawn(&pid_, program.c_str(), nullptr, nullptr, raw.data(), environ) != 0) {
    pid_ = -1;
    throw std::runtime_error{"cannot start " + program};
  }
}

notifyd_run::~notifyd_run() {
  if (pid_ < 0)
    return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

void notifyd_run::check() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, WNOHANG) == 0)
    return;
  pid_ = -1;
  throw std::runtime_error{"notifyd ended before its work was done; its last lines tell why"};
}

void notifyd_run::stop() {
  if (pid_ < 0)
    return;
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error{"notifyd did not stop in order"};
}

} // namespace notify::bench

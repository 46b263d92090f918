#include "tests/support/daemon.hpp"

#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace notify::test {

namespace {

std::string make_log_file() {
  auto pattern = (std::filesystem::temp_directory_path() / "notify-test-XXXXXX").string();
  auto file = mkstemp(pattern.data());
  if (file < 0)
    throw std::runtime_error{"cannot make a temporary file"};
  close(file);
  return pattern;
}

} // namespace

daemon::daemon(const std::string& program, const std::vector<std::string>& arguments)
    : log_file_(make_log_file()) {
  auto path = environment("NOTIFY_TEST_BIN") + "/" + program;
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_file_.c_str(), O_WRONLY | O_APPEND,
                                   0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  auto failed = posix_spawn(&pid_, path.c_str(), &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw std::runtime_error{"cannot start " + path};
}

daemon::~daemon() {
  if (running()) {
    signal(SIGKILL);
    wait();
  }
  std::filesystem::remove(log_file_);
}

void daemon::signal(int number) const {
  if (!status_)
    kill(pid_, number);
}

bool daemon::running() {
  if (status_)
    return false;
  int raw = 0;
  if (waitpid(pid_, &raw, WNOHANG) != pid_)
    return true;
  status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return false;
}

std::optional<int> daemon::wait(std::chrono::milliseconds limit) {
  eventually([this] { return !running(); }, limit);
  return status_;
}

std::string daemon::output() const {
  std::ifstream file{log_file_};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace notify::test

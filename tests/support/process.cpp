#include "tests/support/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace notify::test {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const auto& x : words)
    result.push_back(const_cast<char*>(x.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Appends what the pipe has; closes it at its end.
void read_pipe(int& pipe, std::string& out) {
  std::array<char, 4096> buffer{};
  auto count = read(pipe, buffer.data(), buffer.size());
  if (count > 0) {
    out.append(buffer.data(), static_cast<size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    close(pipe);
    pipe = -1;
  }
}

} // namespace

process::process(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                 const std::string& folder) {
  std::array<int, 2> output{};
  std::array<int, 2> error{};
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(error.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("pipe2 failed");
  auto all_variables = variables;
  if (const auto* path = std::getenv("PATH"))
    all_variables.push_back("PATH=" + std::string{path});
  auto arguments = pointers(words);
  auto environment = pointers(all_variables);
  id_ = fork();
  if (id_ == 0) {
    dup2(output[1], STDOUT_FILENO);
    dup2(error[1], STDERR_FILENO);
    if (!folder.empty() && chdir(folder.c_str()) != 0)
      _exit(126);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  close(output[1]);
  close(error[1]);
  output_pipe_ = output[0];
  error_pipe_ = error[0];
}

process::~process() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  for (auto pipe : {output_pipe_, error_pipe_})
    if (pipe >= 0)
      close(pipe);
}

void process::send_signal(int number) const {
  kill(id_, number);
}

bool process::await_error_text(const std::string& text) {
  return await_text(error_text_, text);
}

bool process::await_output(const std::string& text) {
  return await_text(output_, text);
}

bool process::await_text(const std::string& stream, const std::string& text) {
  while (stream.find(text) == std::string::npos)
    if (!read_some())
      return false;
  return true;
}

int process::wait() {
  while (read_some()) {
  }
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool process::read_some() {
  std::array<pollfd, 2> pipes{{{output_pipe_, POLLIN, 0}, {error_pipe_, POLLIN, 0}}};
  if (output_pipe_ < 0 && error_pipe_ < 0)
    return false;
  // poll passes over negative descriptors.
  if (poll(pipes.data(), pipes.size(), -1) < 0)
    return errno == EINTR;
  if (pipes[0].revents != 0)
    read_pipe(output_pipe_, output_);
  if (pipes[1].revents != 0)
    read_pipe(error_pipe_, error_text_);
  return true;
}

} // namespace notify::test

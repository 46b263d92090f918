#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace notify::test {

/// Another program, with what it wrote to standard output and standard error.
class process {
public:
  /// Starts `words[0]` with the rest as arguments, in `folder` if it is not empty, with `variables`
  /// (`NAME=value`) as its whole environment next to PATH.
  process(const std::vector<std::string>& words, const std::vector<std::string>& variables = {},
          const std::string& folder = {});

  /// Kills it if it still runs.
  ~process();

  process(const process&) = delete;
  process& operator=(const process&) = delete;

  pid_t id() const { return id_; }
  void send_signal(int number) const;

  /// Reads standard error until it contains `text`; false if it ended before.
  bool await_error_text(const std::string& text);

  /// The same with standard output.
  bool await_output(const std::string& text);

  /// Waits for its end. The exit code, or 128 + the signal that ended it.
  int wait();

  const std::string& output() const { return output_; }
  const std::string& error_text() const { return error_text_; }

private:
  /// Reads on until `stream`, one of the two, contains `text`.
  bool await_text(const std::string& stream, const std::string& text);

  /// Reads what is there; false once both pipes are closed.
  bool read_some();

  pid_t id_ = -1;
  int output_pipe_ = -1;
  int error_pipe_ = -1;
  std::string output_;
  std::string error_text_;
};

} // namespace notify::test

#include "tests/support/private_server.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace notify::test {

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::filesystem::path make_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "notify-server-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error{"cannot make a temporary folder"};
  // PostgreSQL runs as a user of its own if we are root.
  std::filesystem::permissions(pattern, std::filesystem::perms{0711});
  return pattern;
}

} // namespace

private_server::private_server(std::string kind) : kind_(std::move(kind)), folder_(make_folder()) {}

private_server::~private_server() {
  try {
    call("remove");
  } catch (const std::exception&) {
    // Its guard removes it when this process has ended.
  }
}

void private_server::call(const std::string& verb) const {
  auto log = folder_.string() + ".log";
  auto words = "bash " NOTIFY_SOURCE_DIR "/tests/support/private_server.sh " + folder_.string()
               + ' ' + kind_ + ' ' + verb + ' ' + std::to_string(getpid()) + " >" + log
               + " 2>&1 </dev/null";
  auto failed = std::system(words.c_str()) != 0;
  auto said = text_of(log);
  std::filesystem::remove(log);
  if (failed)
    throw std::runtime_error{"cannot " + verb + " a private " + kind_ + ": " + said};
}

void private_server::start() {
  call("start");
  port_ = static_cast<uint16_t>(std::stoi(text_of(folder_ / "run" / "port")));
}

void private_server::stop() {
  call("stop");
}

void private_server::signal(bool freeze) const {
  auto pid = std::stoi(text_of(folder_ / "run" / (kind_ + ".pid")));
  if (kill(pid, freeze ? SIGSTOP : SIGCONT) != 0)
    throw std::runtime_error{"no such process: " + kind_};
}

} // namespace notify::test

#include "tools/fake_provider/options.hpp"
#include "tools/fake_provider/provider.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <iostream>
#include <pthread.h>
#include <stdexcept>

// The fake provider as a program: prints its ports, runs until SIGTERM or SIGINT.

namespace {

using namespace notify::fake;

enum exit_code : int { success = 0, failed = 1, usage = 2 };

/// Blocked in all threads to come, so that one place can wait for them.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A client that went away is an error of that write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

std::string ready_line(const provider& x, const std::string& address) {
  boost::json::object line;
  line["address"] = address;
  line["control"] = x.control_port();
  line["http"] = x.http_port();
  line["smtp"] = x.smtp_port();
  return boost::json::serialize(line);
}

int run(const provider_config& config) {
  auto signals = block_stop_signals();
  provider running{config};
  std::cout << ready_line(running, config.address) << std::endl;
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return success;
}

} // namespace

int main(int argc, char** argv) {
  try {
    auto options = read_options({argv + 1, argv + argc});
    if (options.help) {
      std::cout << help_text();
      return success;
    }
    return run(options.config);
  } catch (const usage_error& x) {
    std::cerr << "notify-fake-provider: " << x.what() << "\nSee: notify-fake-provider --help\n";
    return usage;
  } catch (const std::exception& x) {
    std::cerr << "notify-fake-provider: " << x.what() << '\n';
    return failed;
  }
}

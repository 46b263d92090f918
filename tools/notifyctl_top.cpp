#include "actors/inspection.hpp"
#include "tools/actor_text.hpp"
#include "tools/inspection_address.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"

#include <array>
#include <chrono>
#include <iostream>
#include <thread>

#include <unistd.h>

namespace notify::ctl {

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::array top_options = {
    address_option,
    config_option,
    cli::option{"interval", "MS", "milliseconds between two looks", "2000"},
    cli::option{"once", "", "two looks and one table, then end", ""},
};

/// On a terminal each table takes the place of the one before, elsewhere they follow each other.
class screen {
public:
  explicit screen(std::ostream& out)
      : out_(out), redraws_(&out == &std::cout && ::isatty(STDOUT_FILENO) == 1) {}

  void show(const std::string& table) {
    if (redraws_)
      out_ << "\x1b[H\x1b[2J";
    else if (!is_first_)
      out_ << '\n';
    is_first_ = false;
    out_ << table << std::flush;
  }

private:
  std::ostream& out_;
  bool redraws_;
  bool is_first_ = true;
};

int top(const cli::arguments& from, streams io) {
  auto interval = cli::number(from, "interval", 10, 3'600'000);
  if (!interval)
    return usage_error(interval.error(), "top", io);
  auto address = read_address(from);
  if (!address)
    return give_up(address.error(), "top", io);
  inspection_client client{address->host, address->port};
  screen view{io.out};
  actor_tree before;
  auto before_at = clock_type::now();
  for (auto looks = 1;; ++looks) {
    auto tree = client.look(caf::duration{std::chrono::seconds{5}});
    if (!tree) {
      io.err << "notifyctl top: " << cli::message(tree.error()) << '\n';
      return cli::failed;
    }
    auto now = clock_type::now();
    // The first look has nothing to compare with.
    if (looks > 1 || !from.has("once"))
      view.show(top_table(before, *tree, now - before_at));
    if (looks > 1 && from.has("once"))
      return cli::success;
    before = std::move(*tree);
    before_at = now;
    std::this_thread::sleep_for(std::chrono::milliseconds{*interval});
  }
}

constexpr std::array<command, 1> commands = {{
    {"top", "", "watch the actors of a running service at work",
     R"(As actors, again and again: what each does per second, and which of its counters moved since the
table before. Ends with Ctrl-C, or when the service does.
)",
     R"(top --address=127.0.0.1:8090
top --config=/etc/notifyd/notifyd.ini --interval=500
top --address=127.0.0.1:8090 --once
)",
     top_options, top},
}};

} // namespace

std::span<const command> top_commands() {
  return commands;
}

} // namespace notify::ctl

#include "tools/notifyctl_options.hpp"

#include "actors/event_time.hpp"
#include "messages/error.hpp"

#include <cstdlib>
#include <limits>

namespace notify::ctl {

std::string actor_name(const cli::arguments& from) {
  if (const auto& given = from.at("actor"); !given.empty())
    return given;
  const auto* user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "unknown";
}

caf::expected<place> read_place(const cli::arguments& from, std::string_view name,
                                bool allow_ledger) {
  const auto& text = from.at(name);
  if (text == "earliest")
    return place{place::kind::earliest, 0};
  if (text == "latest")
    return place{place::kind::latest, 0};
  if (text == "ledger" && allow_ledger)
    return place{place::kind::ledger, 0};
  if (auto offset = cli::number(from, name, 0, std::numeric_limits<int64_t>::max()))
    return place{place::kind::offset, *offset};
  if (auto time = parse_event_time(text))
    return place{place::kind::time, *time / 1000};
  return caf::make_error(
      ec::invalid_config,
      "--" + std::string{name} + " must be earliest, latest, " + (allow_ledger ? "ledger, " : "")
          + "an offset or a time such as 2026-09-01T16:00:00Z, not '" + text + "'");
}

} // namespace notify::ctl

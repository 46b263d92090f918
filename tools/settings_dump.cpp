#include "tools/secrets.hpp"
#include "tools/settings.hpp"

#include <sstream>
#include <string_view>

namespace notify {

namespace {

/// True for all but the provider of a channel that is off: they have no effect.
bool has_no_effect(const option& x, const service_config& service) {
  constexpr std::string_view prefix = "channel-";
  if (!x.section().starts_with(prefix) || x.name() == "provider")
    return false;
  return service.channels.count(x.section().substr(prefix.size())) == 0;
}

} // namespace

std::string settings::dump() const {
  std::ostringstream out;
  out << "; The settings in effect, secrets masked.\n";
  std::string section;
  for (const auto& x : options_) {
    if (has_no_effect(x, service_))
      continue;
    if (x.section() != section) {
      section = x.section();
      out << "\n[" << section << "]\n";
      for (const auto& [where, origin] : password_origins_)
        if (where == section)
          out << "; password: " << secret_mask << ", from " << origin << '\n';
    }
    out << x.name() << '=' << x.show();
    if (x.full_name() == "service.instance" && values_.service.instance.empty())
      out << " ; this process: " << service_.instance;
    if (x.full_name() == "scheduler.max-threads" && values_.scheduler.max_threads == 0)
      out << " ; here: " << caf::get_or(*this, "scheduler.max-threads", size_t{0});
    out << '\n';
  }
  return out.str();
}

} // namespace notify

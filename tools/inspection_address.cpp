#include "tools/inspection_address.hpp"

#include "tools/notifyctl.hpp"
#include "tools/notifyctl_settings.hpp"

#include <charconv>

namespace notify::ctl {

caf::expected<inspection_address> read_address(const cli::arguments& from) {
  if (!from.has("address")) {
    auto config = read_settings(from);
    if (!config)
      return std::move(config.error());
    if (auto port = (*config)->inspection().port; port != 0)
      return inspection_address{"127.0.0.1", port};
    return refuse("where? Say --address=127.0.0.1:PORT, or --config=FILE with inspection.port set");
  }
  const auto& text = from.at("address");
  auto colon = text.rfind(':');
  inspection_address result{text.substr(0, colon), 0};
  if (colon != std::string::npos) {
    const auto* end = text.data() + text.size();
    auto [stop, code] = std::from_chars(text.data() + colon + 1, end, result.port);
    if (code == std::errc{} && stop == end && result.port != 0 && !result.host.empty())
      return result;
  }
  return refuse("--address must be HOST:PORT, not '" + text + "'");
}

} // namespace notify::ctl

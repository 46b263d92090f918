#pragma once

#include <string_view>

namespace notify::http {

/// The page at `/`: what this is and where everything else is.
std::string_view index_page();

} // namespace notify::http

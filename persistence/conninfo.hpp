#pragma once

#include "persistence/postgres_config.hpp"

#include <caf/expected.hpp>

#include <string>
#include <string_view>

namespace notify {

/// The connection URL for one session: what `config.url` says, completed by our defaults
/// (time-outs, keep-alives, UTF-8, a writable server) and named `application_name/role`. Fails
/// with `invalid_config`, without quoting the URL, if libpq cannot read it.
///
/// Always a URL, every value percent-encoded: SOCI takes connection strings apart at spaces and
/// equal signs, which breaks quoted values.
caf::expected<std::string> make_conninfo(const postgres_config& config, std::string_view role);

} // namespace notify

#pragma once

#include <string>
#include <string_view>

namespace notify::http {

/// The text of an actor's state or last error as clients may see it: what a database, a library or
/// an exception said is cut off behind the error's own name, e.g. `storage_unavailable`. All of it
/// stands in the log.
std::string public_text(std::string_view text);

} // namespace notify::http

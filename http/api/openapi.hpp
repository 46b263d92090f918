#pragma once

#include <string_view>

namespace notify::http {

/// http/openapi.yaml as JSON, embedded at build time.
std::string_view openapi_json();

} // namespace notify::http

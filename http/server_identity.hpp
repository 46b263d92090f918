#pragma once

#include "http/config.hpp"

#include <boost/asio/ssl/context.hpp>

#include <caf/expected.hpp>

#include <memory>

namespace notify::http {

using tls_context_ptr = std::shared_ptr<boost::asio::ssl::context>;

/// The server's certificate and key, for TLS 1.2 and newer; null if the settings name none. The
/// error (`ec::invalid_config`) names the setting whose file is wrong.
caf::expected<tls_context_ptr> load_server_identity(const http_config& config);

} // namespace notify::http

#pragma once

#include "actors/providers/smtp_config.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <caf/expected.hpp>

#include <memory>

namespace notify {

using tls_context_ptr = std::shared_ptr<boost::asio::ssl::context>;

/// A client's TLS settings: version 1.2 or newer, trust from `ca_file` or else the system. The
/// error is `ec::invalid_config` and names the option.
caf::expected<tls_context_ptr> make_tls_context(const smtp_config& config);

} // namespace notify

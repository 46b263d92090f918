#pragma once

#include <boost/asio/ssl/context.hpp>

#include <caf/expected.hpp>

#include <memory>
#include <string>

namespace notify {

/// A client's TLS settings: version 1.2 or newer, certificates verified, trust from `ca_file` or
/// else the system. `ec::invalid_config` if that file is of no use.
caf::expected<std::shared_ptr<boost::asio::ssl::context>> make_http_tls(const std::string& ca_file);

/// Sets the name to ask for (SNI) and to check the certificate against; a name or an address.
/// False if OpenSSL refuses the name.
bool expect_host(SSL* ssl, const std::string& host);

/// Why a certificate was not accepted, by OpenSSL's verification result.
std::string explain_distrust(long verify_result);

} // namespace notify

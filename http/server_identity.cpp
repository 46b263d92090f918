#include "http/server_identity.hpp"

#include "messages/error.hpp"

#include <openssl/ssl.h>

namespace notify::http {

namespace {

caf::error invalid(const std::string& option, const std::string& file, const std::string& why) {
  return caf::make_error(ec::invalid_config, option + ": " + file + ": " + why);
}

} // namespace

caf::expected<tls_context_ptr> load_server_identity(const http_config& config) {
  if (config.tls_certificate.empty() && config.tls_key.empty())
    return tls_context_ptr{};
  if (config.tls_certificate.empty() || config.tls_key.empty())
    return caf::make_error(ec::invalid_config,
                           std::string{"http.tls-certificate and http.tls-key go together"});
  namespace ssl = boost::asio::ssl;
  auto result = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(result->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(result->native_handle(), SSL_OP_NO_RENEGOTIATION
                                                   | SSL_OP_CIPHER_SERVER_PREFERENCE
                                                   | SSL_OP_NO_COMPRESSION);
  boost::system::error_code failure;
  result->use_certificate_chain_file(config.tls_certificate, failure);
  if (failure)
    return invalid("http.tls-certificate", config.tls_certificate, failure.message());
  result->use_private_key_file(config.tls_key, ssl::context::pem, failure);
  if (failure)
    return invalid("http.tls-key", config.tls_key, failure.message());
  return result;
}

} // namespace notify::http

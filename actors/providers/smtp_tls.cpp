#include "actors/providers/smtp_tls.hpp"

#include "messages/error.hpp"

#include <boost/asio/ip/address.hpp>

namespace notify {

namespace ssl = boost::asio::ssl;

caf::expected<tls_context_ptr> make_tls_context(const smtp_config& config) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (!config.verify_certificate) {
    context->set_verify_mode(ssl::verify_none);
    return context;
  }
  context->set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (config.ca_file.empty())
    context->set_default_verify_paths(error);
  else
    context->load_verify_file(config.ca_file, error);
  if (error)
    return caf::make_error(ec::invalid_config, "smtp.ca-file: " + error.message());
  return context;
}

bool prepare_tls(SSL* ssl, const std::string& host) {
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(host, not_an_address);
  auto* checks = SSL_get0_param(ssl);
  if (!not_an_address)
    return X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 // SNI has no addresses.
         && X509_VERIFY_PARAM_set1_host(checks, host.c_str(), host.size()) == 1;
}

} // namespace notify

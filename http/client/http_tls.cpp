#include "http/client/http_tls.hpp"

#include "messages/error.hpp"

#include <boost/asio/ip/address.hpp>

namespace notify {

namespace ssl = boost::asio::ssl;

caf::expected<std::shared_ptr<ssl::context>> make_http_tls(const std::string& ca_file) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  context->set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (ca_file.empty())
    context->set_default_verify_paths(error);
  else
    context->load_verify_file(ca_file, error);
  if (error)
    return caf::make_error(ec::invalid_config, "ca-file: " + error.message());
  return context;
}

bool expect_host(SSL* ssl, const std::string& host) {
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(host, not_an_address);
  auto* checks = SSL_get0_param(ssl);
  if (!not_an_address)
    return X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 // SNI has no addresses.
         && X509_VERIFY_PARAM_set1_host(checks, host.c_str(), host.size()) == 1;
}

std::string explain_distrust(long verify_result) {
  switch (verify_result) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return "the certificate has expired";
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return "the certificate is not valid yet";
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH:
    return "the certificate is for another host";
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    return "the certificate is self-signed";
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    return "the certificate's issuer is not trusted";
  case X509_V_ERR_CERT_REVOKED:
    return "the certificate was revoked";
  default:
    return std::string{"the certificate is not valid: "}
           + X509_verify_cert_error_string(verify_result);
  }
}

} // namespace notify

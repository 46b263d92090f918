#include "actors/providers/smtp_tls.hpp"

#include "http/client/http_tls.hpp"
#include "messages/error.hpp"

namespace notify {

namespace ssl = boost::asio::ssl;

caf::expected<tls_context_ptr> make_tls_context(const smtp_config& config) {
  if (config.verify_certificate) {
    auto context = make_http_tls(config.ca_file);
    if (!context)
      return caf::make_error(ec::invalid_config,
                             "smtp." + context.error().context().get_as<std::string>(0));
    return context;
  }
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  context->set_verify_mode(ssl::verify_none);
  return context;
}

} // namespace notify

#pragma once

#include "tools/fake_provider/stage.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace notify::fake {

/// Serves one connection of the SMTP port as a relay that accepts everything, or by the script.
/// Neither TLS nor a check of the login: it listens on loopback only.
boost::asio::awaitable<void> serve_smtp(boost::asio::ip::tcp::socket socket, stage& shared);

} // namespace notify::fake

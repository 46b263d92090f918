#pragma once

#include "tools/fake_provider/http_peer.hpp"
#include "tools/fake_provider/stage.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace notify::fake {

/// Serves one connection of the HTTP provider port: Resend, Telegram and webhooks, by the script or
/// as usual.
boost::asio::awaitable<void> serve_http(boost::asio::ip::tcp::socket socket, stage& shared);

} // namespace notify::fake

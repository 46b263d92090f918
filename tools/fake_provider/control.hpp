#pragma once

#include "tools/fake_provider/stage.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/object.hpp>

namespace notify::fake {

/// Serves one connection of the control port: the script, the journal, releases.
boost::asio::awaitable<void> serve_control(boost::asio::ip::tcp::socket socket, stage& shared);

/// Answers one control request.
http_answer control(const http_request& request, stage& shared);

/// Sums for people: rules, connections, requests.
boost::json::object state_of(const stage& shared);

} // namespace notify::fake

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace notify {

/// Takes a relay's addresses, or why there are none. To be called once, on any thread; a call
/// that comes too late changes nothing.
using smtp_addresses_found =
    std::function<void(boost::system::error_code, std::vector<boost::asio::ip::tcp::endpoint>)>;

/// Looks up a relay by name and port, without blocking. Empty wherever it is a parameter: the
/// system's resolver.
using smtp_lookup =
    std::function<void(const std::string& host, uint16_t port, smtp_addresses_found found)>;

} // namespace notify

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// What came of looking up a name.
struct host_lookup {
  boost::system::error_code error; ///< `boost::asio::error::host_not_found`: there is no such name.
  std::vector<boost::asio::ip::address> addresses; ///< In the order to try them.
};

/// Looks up a name, never an address. Must not block; calls back at most once, on any thread, and
/// not after the `io_context` of the client is gone.
using host_resolver =
    std::function<void(const std::string& host, std::function<void(host_lookup)> done)>;

/// The system's resolver, as `/etc/hosts`, the DNS and the rest of its settings have it. Lookups
/// run on a thread of `io`, one after the other.
host_resolver make_system_resolver(boost::asio::io_context& io);

/// Reads an address; empty if the text is none.
std::optional<boost::asio::ip::address> parse_address(const std::string& text);

/// An address of IPv4 written as one of IPv6 becomes the former, so that rules for it hold.
boost::asio::ip::address plain_address(const boost::asio::ip::address& address);

} // namespace notify

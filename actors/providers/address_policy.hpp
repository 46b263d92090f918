#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <caf/expected.hpp>

#include <string>
#include <vector>

namespace notify {

/// True for addresses of the public internet, by IANA's registries of special-purpose addresses.
/// An address that embeds an IPv4 address (mapped, NAT64, 6to4, ISATAP) is public only if that one
/// is; what is not for anybody's servers (multicast, documentation, Teredo, reserved) is not.
bool is_public(const boost::asio::ip::address& x);

/// True for this machine and for private networks: loopback, RFC 1918, RFC 6598, unique local.
/// Not for link-local addresses, where clouds keep their machines' credentials.
bool is_private(const boost::asio::ip::address& x);

/// Where requests to URLs of others may go, by resolved address: whatever way a host is written,
/// what counts is where the connection leads. Immutable and thread-safe.
class address_policy {
public:
  /// Public addresses, with `allow_private` private ones, and those in `networks` in any case.
  /// Networks are written `10.1.0.0/16` or `fd00:1::/32`; `ec::invalid_config` names a wrong one.
  static caf::expected<address_policy> make(bool allow_private,
                                            const std::vector<std::string>& networks);

  bool allows(const boost::asio::ip::address& x) const;

private:
  bool allow_private_ = false;
  std::vector<boost::asio::ip::network_v4> networks_v4_;
  std::vector<boost::asio::ip::network_v6> networks_v6_;
};

} // namespace notify

#include "actors/providers/address_policy.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace notify {

namespace {

namespace ip = boost::asio::ip;

struct range_v4 {
  uint32_t first;
  uint8_t bits;
};

constexpr uint32_t v4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr range_v4 private_v4[] = {
    {v4(10, 0, 0, 0), 8},     // RFC 1918
    {v4(100, 64, 0, 0), 10},  // RFC 6598: behind carriers' NAT
    {v4(127, 0, 0, 0), 8},    // loopback
    {v4(172, 16, 0, 0), 12},  // RFC 1918
    {v4(192, 168, 0, 0), 16}, // RFC 1918
};

constexpr range_v4 special_v4[] = {
    {v4(0, 0, 0, 0), 8},        // this network; connects to this machine
    {v4(168, 63, 129, 16), 32}, // Azure's platform, public only by its number
    {v4(169, 254, 0, 0), 16},   // link-local, with the clouds' metadata
    {v4(192, 0, 0, 0), 24},     // protocol assignments
    {v4(192, 0, 2, 0), 24},     // documentation
    {v4(192, 88, 99, 0), 24},   // 6to4 relays
    {v4(198, 18, 0, 0), 15},    // benchmarking
    {v4(198, 51, 100, 0), 24},  // documentation
    {v4(203, 0, 113, 0), 24},   // documentation
    {v4(224, 0, 0, 0), 4},      // multicast
    {v4(240, 0, 0, 0), 4},      // reserved, and broadcast
};

struct range_v6 {
  std::array<uint8_t, 16> first;
  uint8_t bits;
};

/// What lies in the range of global unicast and is not for anybody's servers.
constexpr range_v6 special_v6[] = {
    {{0x20, 0x01, 0x00}, 23},       // protocol assignments: Teredo, benchmarking, ORCHID
    {{0x20, 0x01, 0x0D, 0xB8}, 32}, // documentation
    {{0x3F, 0xFF}, 20},             // documentation
};

constexpr range_v6 global_unicast{{0x20}, 3};
constexpr range_v6 six_to_four{{0x20, 0x02}, 16};
constexpr range_v6 unique_local{{0xFC}, 7};
/// The well-known prefix of NAT64 (RFC 6052).
constexpr range_v6 nat64{{0x00, 0x64, 0xFF, 0x9B}, 96};

template <size_t Size>
bool is_in(uint32_t address, const range_v4 (&ranges)[Size]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [address](const range_v4& x) {
    return (address ^ x.first) >> (32 - x.bits) == 0;
  });
}

using bytes_v6 = ip::address_v6::bytes_type;

bool is_in(const bytes_v6& address, const range_v6& range) {
  for (size_t i = 0; i < address.size(); ++i) {
    auto begins = 8 * i;
    if (begins >= range.bits)
      return true;
    auto bits = std::min<size_t>(8, range.bits - begins);
    if ((address[i] ^ range.first[i]) >> (8 - bits) != 0)
      return false;
  }
  return true;
}

uint32_t v4_at(const bytes_v6& x, size_t at) {
  return v4(x[at], x[at + 1], x[at + 2], x[at + 3]);
}

/// RFC 5214: an interface's number that is `0000:5efe` or `0200:5efe` and an IPv4 address.
bool is_isatap(const bytes_v6& x) {
  return (x[8] & ~0x02U) == 0 && x[9] == 0 && x[10] == 0x5E && x[11] == 0xFE;
}

/// The IPv4 address that this one leads to, if there is one.
std::optional<uint32_t> embedded_v4(const ip::address_v6& address) {
  auto x = address.to_bytes();
  if (address.is_v4_mapped() || is_in(x, nat64) || is_isatap(x))
    return v4_at(x, 12);
  if (is_in(x, six_to_four))
    return v4_at(x, 2);
  return std::nullopt;
}

bool is_public_v4(uint32_t x) {
  return !is_in(x, private_v4) && !is_in(x, special_v4);
}

bool is_public_v6(const ip::address_v6& address) {
  auto x = address.to_bytes();
  auto inner = embedded_v4(address);
  if (inner && !is_public_v4(*inner))
    return false;
  if (address.is_v4_mapped() || is_in(x, nat64))
    return true;
  // All else outside of it, such as the old compatible form, is nobody's, and so is a zone.
  return address.scope_id() == 0 && is_in(x, global_unicast)
         && std::none_of(std::begin(special_v6), std::end(special_v6),
                         [&x](const range_v6& range) { return is_in(x, range); });
}

/// A mapped address is the IPv4 address for all purposes.
ip::address unmapped(const ip::address& x) {
  if (x.is_v6() && x.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, x.to_v6());
  return x;
}

/// Compares as many bits as the network has; the rest of it may be anything.
bool contains(const ip::network_v6& network, const ip::address_v6& x) {
  range_v6 range{{}, static_cast<uint8_t>(network.prefix_length())};
  auto first = network.address().to_bytes();
  std::copy(first.begin(), first.end(), range.first.begin());
  return is_in(x.to_bytes(), range);
}

bool contains(const ip::network_v4& network, const ip::address_v4& x) {
  return (x.to_uint() & network.netmask().to_uint()) == network.network().to_uint();
}

template <class Networks, class Address>
bool any_contains(const Networks& networks, const Address& x) {
  return std::any_of(networks.begin(), networks.end(),
                     [&x](const auto& network) { return contains(network, x); });
}

} // namespace

bool is_public(const ip::address& x) {
  return x.is_v4() ? is_public_v4(x.to_v4().to_uint()) : is_public_v6(x.to_v6());
}

bool is_private(const ip::address& x) {
  auto plain = unmapped(x);
  if (plain.is_v4())
    return is_in(plain.to_v4().to_uint(), private_v4);
  return plain.to_v6().is_loopback() || is_in(plain.to_v6().to_bytes(), unique_local);
}

caf::expected<address_policy> address_policy::make(bool allow_private,
                                                   const std::vector<std::string>& networks) {
  address_policy result;
  result.allow_private_ = allow_private;
  for (const auto& text : networks) {
    boost::system::error_code no_v4;
    boost::system::error_code no_v6;
    auto of_v4 = ip::make_network_v4(text, no_v4);
    auto of_v6 = ip::make_network_v6(text, no_v6);
    if (!no_v4)
      result.networks_v4_.push_back(of_v4);
    else if (!no_v6)
      result.networks_v6_.push_back(of_v6);
    else
      return caf::make_error(ec::invalid_config, "webhook-allowed-networks: `" + text
                                                     + "` is not a network such as 10.1.0.0/16");
  }
  return result;
}

bool address_policy::allows(const ip::address& x) const {
  if (is_public(x) || (allow_private_ && is_private(x)))
    return true;
  auto plain = unmapped(x);
  return plain.is_v4() ? any_contains(networks_v4_, plain.to_v4())
                       : any_contains(networks_v6_, plain.to_v6());
}

} // namespace notify

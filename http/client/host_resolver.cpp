#include "http/client/host_resolver.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <utility>

namespace notify {

namespace ip = boost::asio::ip;

host_resolver make_system_resolver(boost::asio::io_context& io) {
  return [&io](const std::string& host, std::function<void(host_lookup)> done) {
    auto resolver = std::make_shared<ip::tcp::resolver>(io);
    auto on_resolved = [resolver, done = std::move(done)](const boost::system::error_code& error,
                                                          const auto& results) {
      host_lookup found;
      found.error = error;
      for (const auto& entry : results)
        found.addresses.push_back(entry.endpoint().address());
      done(std::move(found));
    };
    resolver->async_resolve(host, "", std::move(on_resolved));
  };
}

std::optional<ip::address> parse_address(const std::string& text) {
  boost::system::error_code error;
  auto address = ip::make_address(text, error);
  if (error)
    return std::nullopt;
  return address;
}

ip::address plain_address(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  return address;
}

} // namespace notify

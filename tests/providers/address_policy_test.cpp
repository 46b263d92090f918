#include "actors/providers/address_policy.hpp"

#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <netdb.h>
#include <sys/socket.h>

#include <string>
#include <vector>

namespace notify {
namespace {

boost::asio::ip::address address(const std::string& text) {
  return boost::asio::ip::make_address(text);
}

address_policy policy(bool allow_private, const std::vector<std::string>& networks) {
  auto result = address_policy::make(allow_private, networks);
  REQUIRE(result);
  return *result;
}

TEST_CASE("D-D2: what is not of the public internet is refused in every form of address") {
  for (const std::string text : {
           "0.0.0.0",
           "0.1.2.3",
           "10.0.0.1",
           "10.255.255.255",
           "100.64.0.1",
           "100.127.255.255",
           "100.100.100.200",
           "127.0.0.1",
           "127.255.255.254",
           "168.63.129.16",
           "169.254.169.254",
           "172.16.0.1",
           "172.31.255.255",
           "192.0.0.8",
           "192.0.2.1",
           "192.88.99.1",
           "192.168.0.1",
           "198.18.0.1",
           "198.19.255.255",
           "198.51.100.1",
           "203.0.113.1",
           "224.0.0.1",
           "239.255.255.255",
           "240.0.0.1",
           "255.255.255.255",
           "::",
           "::1",
           "::127.0.0.1",                          // compatible
           "::8.8.8.8",                            // compatible, and nobody's
           "::ffff:127.0.0.1",                     // mapped
           "::ffff:10.0.0.1",                      //
           "::ffff:169.254.169.254",               //
           "::ffff:0:127.0.0.1",                   // translated
           "64:ff9b::127.0.0.1",                   // NAT64
           "64:ff9b::10.0.0.1",                    //
           "64:ff9b:1::1",                         // NAT64 of a site
           "2002:7f00:1::",                        // 6to4 of 127.0.0.1
           "2002:a00:1::1",                        // 6to4 of 10.0.0.1
           "2002:a9fe:a9fe::1",                    // 6to4 of 169.254.169.254
           "2001:0:4136:e378:8000:63bf:80ff:fffe", // Teredo of 127.0.0.1
           "2001:0:a00:1::1",                      // Teredo by a server within
           "2001:2::1",                            // benchmarking
           "2001:10::1",                           // ORCHID
           "2001:db8::1",                          // documentation
           "3fff::1",                              // documentation
           "2a00:1450::5efe:10.0.0.1",             // ISATAP
           "2a00:1450::200:5efe:127.0.0.1",        // ISATAP
           "100::1",                               // discard
           "fc00::1",                              // unique local
           "fd00:ec2::254",                        // a cloud's metadata
           "fe80::1",                              // link-local
           "febf::1",                              //
           "fec0::1",                              // site-local
           "ff02::1",                              // multicast
           "5f00::1",                              // segment routing
       }) {
    INFO(text);
    CHECK_FALSE(is_public(address(text)));
    CHECK_FALSE(policy(false, {}).allows(address(text)));
  }
  CHECK_FALSE(is_public(address("2a00:1450:4001::1%1")));
}

TEST_CASE("D-D2: public addresses pass, their neighbours' ranges notwithstanding") {
  for (const std::string text : {
           "1.1.1.1",         "8.8.8.8",          "9.255.255.255",   "11.0.0.0",
           "100.63.255.255",  "100.128.0.0",      "126.255.255.255", "128.0.0.1",
           "169.253.255.255", "169.255.0.1",      "172.15.255.255",  "172.32.0.1",
           "192.0.1.1",       "192.167.255.255",  "192.169.0.1",     "198.17.255.255",
           "198.20.0.1",      "223.255.255.255",  "2606:4700::1111", "2a00:1450:4001:81b::200e",
           "::ffff:8.8.8.8",  "64:ff9b::8.8.8.8", "2002:808:808::1", "2a00:1450::5efe:8.8.8.8",
       }) {
    INFO(text);
    CHECK(is_public(address(text)));
    CHECK(policy(false, {}).allows(address(text)));
  }
}

TEST_CASE("D-D2: hosts written as numbers lead to the same addresses") {
  for (const std::string text :
       {"2130706433", "0x7f000001", "0x7F.1", "017700000001", "0177.0.0.1", "127.1", "127.0.1",
        "0177.0.0.0x1", "3232235521", "0xA9FEA9FE", "2852039166", "0251.0376.0251.0376", "0"}) {
    INFO(text);
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    REQUIRE(getaddrinfo(text.c_str(), nullptr, &hints, &found) == 0);
    auto* where = reinterpret_cast<sockaddr_in*>(found->ai_addr);
    boost::asio::ip::address_v4 resolved{ntohl(where->sin_addr.s_addr)};
    freeaddrinfo(found);
    CHECK_FALSE(is_public(resolved));
  }
}

TEST_CASE("private networks can be allowed, but not where clouds keep credentials") {
  auto x = policy(true, {});
  for (const std::string text : {"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
                                 "::1", "fd00::1", "::ffff:10.0.0.1", "8.8.8.8"})
    CHECK(x.allows(address(text)));
  for (const std::string text : {"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0",
                                 "::", "224.0.0.1", "255.255.255.255", "192.0.2.1"})
    CHECK_FALSE(x.allows(address(text)));
}

TEST_CASE("listed networks are allowed, and nothing beside them") {
  auto x = policy(false, {"10.1.0.0/16", "169.254.7.7/32", "fd00:1::/32"});
  for (const std::string text :
       {"10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "169.254.7.7", "fd00:1::5", "8.8.8.8"})
    CHECK(x.allows(address(text)));
  for (const std::string text :
       {"10.0.255.255", "10.2.0.0", "169.254.7.8", "fd00:2::5", "127.0.0.1"})
    CHECK_FALSE(x.allows(address(text)));
  CHECK(policy(false, {"0.0.0.0/0"}).allows(address("127.0.0.1")));
  CHECK(policy(false, {"::/0"}).allows(address("::1")));
  CHECK_FALSE(policy(false, {"::/0"}).allows(address("127.0.0.1")));
}

TEST_CASE("a network that is none is refused with the option's name") {
  for (const std::string text : {"10.1.0.0", "10.1.0.0/33", "host/8", "", "10.1/16", "::1/129"}) {
    auto result = address_policy::make(false, {text});
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    CHECK(render(result.error()).find("webhook-allowed-networks") != std::string::npos);
  }
}

} // namespace
} // namespace notify

#include "messages/error.hpp"
#include "tests/http/client.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test_identity.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include <catch2/catch.hpp>

#include <openssl/ssl.h>

// The server behind TLS, with OpenSSL as the client.

namespace notify::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using notify::test::temp_folder;
using notify::test::test_identity;
using test::server_fixture;

struct tls_fixture : server_fixture {
  tls_fixture() {
    config.tls_certificate = identity.certificate_file();
    config.tls_key = identity.key_file();
    routes.add("GET", "/", access::open, [](const request& x, const responder& respond) {
      respond({200, "text/plain", "hello " + x.peer, {}});
    });
    routes.add("POST", "/", access::open, [](const request& x, const responder& respond) {
      respond({200, "text/plain", std::to_string(x.body.size()), {}});
    });
  }

  /// What a client gets for `bytes` up to the server's orderly end of the connection. The text
  /// `truncated` is added if the end was not an orderly one.
  std::string exchange(const std::string& bytes, int newest_version = 0) {
    asio::io_context own;
    asio::ssl::context context{asio::ssl::context::tls_client};
    context.load_verify_file(identity.certificate_file());
    context.set_verify_mode(asio::ssl::verify_peer);
    if (newest_version != 0) {
      SSL_CTX_set_security_level(context.native_handle(), 0);
      SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_VERSION);
      SSL_CTX_set_max_proto_version(context.native_handle(), newest_version);
    }
    asio::ssl::stream<asio::ip::tcp::socket> stream{own, context};
    stream.set_verify_callback(asio::ssl::host_name_verification{"localhost"});
    stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), running->port()});
    boost::system::error_code failure;
    stream.handshake(asio::ssl::stream_base::client, failure);
    if (failure)
      return "no handshake";
    asio::write(stream, asio::buffer(bytes), failure);
    std::string result;
    asio::read(stream, asio::dynamic_buffer(result), failure);
    return failure == asio::error::eof ? result : result + " truncated";
  }

  test_identity identity{"localhost"};
};

const std::string get = "GET / HTTP/1.1\r\nHost: localhost\r\n";

TEST_CASE_METHOD(tls_fixture,
                 "requests are served over TLS, one after the other, to an orderly end") {
  start();
  auto got = exchange(get + "\r\n" + get + "Connection: close\r\n\r\n");
  CHECK(got.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(got.find("HTTP/1.1 200 OK\r\n", 1) != std::string::npos);
  CHECK(got.ends_with("\r\n\r\nhello 127.0.0.1"));
}

TEST_CASE_METHOD(tls_fixture, "a body of many TLS records arrives whole") {
  config.body_limit = 300'000;
  start();
  auto got = exchange("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                      "200000\r\n\r\n"
                      + std::string(200'000, 'b'));
  CHECK(got.ends_with("\r\n\r\n200000"));
}

TEST_CASE_METHOD(tls_fixture, "TLS older than 1.2 is refused") {
  start();
  CHECK(exchange(get + "\r\n", TLS1_1_VERSION) == "no handshake");
  CHECK(exchange(get + "Connection: close\r\n\r\n", TLS1_2_VERSION).starts_with("HTTP/1.1 200"));
}

TEST_CASE_METHOD(tls_fixture, "plain HTTP on the TLS port gets no answer and does no harm") {
  start();
  test::client plain{running->port()};
  plain.get("/");
  CHECK(plain.read().status == 0);
  CHECK(exchange(get + "Connection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_CASE_METHOD(tls_fixture, "a client that never shakes hands is cut off") {
  config.read_timeout = 50ms;
  start();
  test::client silent{running->port()};
  CHECK(silent.is_closed());
}

TEST_CASE_METHOD(tls_fixture, "a client that does not shake hands gives way to others") {
  config.max_connections = 1;
  start();
  test::client silent{running->port()};
  CHECK(exchange(get + "Connection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
  CHECK(silent.is_closed());
}

TEST_CASE_METHOD(tls_fixture, "a stop ends idle TLS connections at once") {
  config.drain_timeout = 1min;
  start();
  test::client silent{running->port()};
  stop();
  CHECK(silent.is_closed());
}

TEST_CASE_METHOD(tls_fixture, "a certificate or key that cannot be used is told by its setting") {
  temp_folder folder;
  auto refusal = [&](const std::string& certificate, const std::string& key) {
    auto other = config;
    other.tls_certificate = certificate;
    other.tls_key = key;
    auto result = server::start(io, other, routes);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    return render(result.error());
  };
  auto garbage = folder.write("garbage.pem", "not a certificate");
  test_identity stranger{"localhost"};
  CHECK(refusal(garbage, identity.key_file()).find("http.tls-certificate: ") != std::string::npos);
  CHECK(refusal(identity.certificate_file(), garbage).find("http.tls-key: ") != std::string::npos);
  CHECK(refusal(identity.certificate_file(), stranger.key_file()).find("http.tls-key: ")
        != std::string::npos);
  CHECK(refusal(identity.certificate_file(), "").find("go together") != std::string::npos);
}

} // namespace
} // namespace notify::http

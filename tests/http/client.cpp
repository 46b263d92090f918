#include "tests/http/client.hpp"

#include "messages/error.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <future>
#include <sstream>

namespace notify::http::test {

namespace asio = boost::asio;

client::client(uint16_t port) : socket_(io_) {
  socket_.connect({asio::ip::make_address("127.0.0.1"), port});
}

void client::send(const std::string& bytes) {
  // The server may have closed already: what it answered is still to be read.
  boost::system::error_code ignored;
  asio::write(socket_, asio::buffer(bytes), ignored);
}

void client::get(const std::string& path, const std::string& more_headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + more_headers + "\r\n");
}

bool client::read_more() {
  std::array<char, 4096> bytes{};
  boost::system::error_code failure;
  auto count = socket_.read_some(asio::buffer(bytes), failure);
  buffer_.append(bytes.data(), count);
  return !failure;
}

size_t client::read_until(const std::string& text) {
  size_t at = 0;
  while ((at = buffer_.find(text)) == std::string::npos)
    if (!read_more())
      return std::string::npos;
  return at + text.size();
}

reply client::read(bool with_body) {
  reply result;
  auto end = read_until("\r\n\r\n");
  if (end == std::string::npos)
    return result;
  std::istringstream head{buffer_.substr(0, end)};
  buffer_.erase(0, end);
  std::string version;
  head >> version >> result.status;
  std::string line;
  std::getline(head, line);
  while (std::getline(head, line) && line != "\r") {
    auto colon = line.find(": ");
    auto name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    result.headers[name] = line.substr(colon + 2, line.size() - colon - 3);
  }
  auto length = result.headers.count("content-length") != 0 && with_body
                    ? std::stoul(result.headers["content-length"])
                    : 0;
  while (buffer_.size() < length)
    if (!read_more())
      return {};
  result.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return result;
}

bool client::is_closed() {
  while (read_more()) {
  }
  return buffer_.empty();
}

server_fixture::server_fixture() : work(asio::make_work_guard(io)) {
  config.port = 0;
  for (auto i = 0; i < 2; ++i)
    threads.emplace_back([this] { io.run(); });
}

server_fixture::~server_fixture() {
  if (running)
    stop();
  work.reset();
  for (auto& thread : threads)
    thread.join();
}

void server_fixture::start() {
  auto started = server::start(io, config, routes);
  INFO((started ? std::string{} : render(started.error())));
  REQUIRE(started);
  running = std::move(*started);
}

void server_fixture::stop() {
  std::promise<void> stopped;
  running->stop([&stopped] { stopped.set_value(); });
  stopped.get_future().wait();
  running.reset();
}

} // namespace notify::http::test

#include "tests/support/scripted_http.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace notify::test {

namespace {

bool are_equal(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Calls `f` with name and value of each header line.
template <class F>
void for_each_header(std::string_view head, F f) {
  auto line_end = head.find("\r\n");
  while (line_end != std::string_view::npos) {
    head.remove_prefix(line_end + 2);
    line_end = head.find("\r\n");
    auto line = head.substr(0, line_end);
    auto colon = line.find(':');
    if (colon == std::string_view::npos)
      continue;
    auto value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    f(line.substr(0, colon), value);
  }
}

std::string word(const std::string& head, size_t number) {
  size_t begin = 0;
  for (; number > 0; --number)
    begin = head.find(' ', begin) + 1;
  return head.substr(begin, head.find_first_of(" \r", begin) - begin);
}

} // namespace

std::string received_request::method() const {
  return word(head, 0);
}

std::string received_request::target() const {
  return word(head, 1);
}

std::string received_request::header(std::string_view name) const {
  std::string result;
  for_each_header(head, [&](std::string_view key, std::string_view value) {
    if (result.empty() && are_equal(key, name))
      result = value;
  });
  return result;
}

size_t received_request::count(std::string_view name) const {
  size_t result = 0;
  for_each_header(head, [&](std::string_view key, std::string_view) {
    if (are_equal(key, name))
      ++result;
  });
  return result;
}

// -- steps --------------------------------------------------------------------

namespace web {

namespace {

/// Reads a head and makes it the peer's request.
bool read_head(http_peer& peer) {
  auto& unread = peer.wire.unread();
  size_t end = 0;
  while ((end = unread.find("\r\n\r\n")) == std::string::npos)
    if (!peer.wire.fill())
      return false;
  peer.request.head = unread.substr(0, end + 4);
  peer.request.body.clear();
  peer.request.is_complete = false;
  unread.erase(0, end + 4);
  peer.place = peer.server.begin(peer.request);
  return true;
}

/// Reads up to `length` bytes of the body, and keeps what came even if that is less.
bool read_body(http_peer& peer, size_t length) {
  auto& unread = peer.wire.unread();
  auto is_going_on = true;
  while (is_going_on && unread.size() < length)
    is_going_on = peer.wire.fill();
  peer.request.body = unread.substr(0, length);
  unread.erase(0, length);
  peer.request.is_complete = is_going_on;
  peer.server.update(peer.place, peer.request);
  return is_going_on;
}

std::string head_text(int status, const header_list& headers) {
  auto result = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
  for (const auto& [name, value] : headers)
    result += name + ": " + value + "\r\n";
  return result;
}

std::string hex(size_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%zx", number);
  return text;
}

} // namespace

std::string answer_text(int status, const std::string& body, const header_list& headers) {
  return head_text(status, headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
         + body;
}

http_step take_request() {
  return [](http_peer& peer) {
    if (!read_head(peer))
      return false;
    auto length = std::strtoul(peer.request.header("Content-Length").c_str(), nullptr, 10);
    return read_body(peer, length);
  };
}

http_step take_head() {
  return read_head;
}

http_step say(std::string bytes) {
  return [=](http_peer& peer) { return peer.wire.say(bytes); };
}

http_step answer(int status, std::string body, header_list headers) {
  return say(answer_text(status, body, headers));
}

http_step answer_with(std::function<std::string(const received_request&)> make) {
  return [=](http_peer& peer) { return peer.wire.say(make(peer.request)); };
}

http_step answer_in_chunks(int status, std::vector<std::string> chunks, header_list headers) {
  auto text = head_text(status, headers) + "Transfer-Encoding: chunked\r\n\r\n";
  for (const auto& chunk : chunks)
    text += hex(chunk.size()) + "\r\n" + chunk + "\r\n";
  return say(text + "0\r\n\r\n");
}

http_step drip(std::string bytes, std::chrono::milliseconds distance) {
  return [=](http_peer& peer) {
    return std::all_of(bytes.begin(), bytes.end(), [&](char x) {
      return peer.wire.say({&x, 1}) && peer.wire.wait(distance);
    });
  };
}

http_step flood(std::string bytes) {
  return [=](http_peer& peer) {
    while (peer.wire.say(bytes))
      continue;
    return false;
  };
}

http_step drain() {
  return [](http_peer& peer) { return read_body(peer, std::string::npos); };
}

http_step start_tls() {
  return [](http_peer& peer) { return peer.wire.start_tls(); };
}

http_step close() {
  return [](http_peer& peer) {
    peer.wire.close();
    return false;
  };
}

http_step cut() {
  return [](http_peer& peer) {
    peer.wire.cut();
    return false;
  };
}

http_step reset() {
  return [](http_peer& peer) {
    peer.wire.reset();
    return false;
  };
}

http_step freeze() {
  return [](http_peer& peer) {
    peer.wire.freeze();
    return true;
  };
}

http_step wait_for(std::shared_future<void> signal) {
  return [=](http_peer&) {
    signal.wait();
    return true;
  };
}

http_step delay(std::chrono::milliseconds time) {
  return [=](http_peer& peer) { return peer.wire.wait(time); };
}

http_step all(http_script steps) {
  return [=](http_peer& peer) {
    return std::all_of(steps.begin(), steps.end(), [&](const auto& step) { return step(peer); });
  };
}

http_step repeat(http_script steps) {
  return [once = all(std::move(steps))](http_peer& peer) {
    while (once(peer))
      continue;
    return false;
  };
}

http_step serve(int status, std::string body, header_list headers) {
  return repeat({take_request(), answer(status, std::move(body), std::move(headers))});
}

} // namespace web

// -- the server ---------------------------------------------------------------

scripted_http::scripted_http(std::vector<http_script> scripts, const std::string& address,
                             uint16_t port)
    : scripts_(std::move(scripts)),
      host_(address.find(':') == std::string::npos ? address : "[" + address + "]"),
      server_(
          address, [this](size_t number, scripted_peer& peer) { serve(number, peer); }, port) {}

std::string scripted_http::url(const std::string& path, const std::string& scheme) const {
  return scheme + "://" + host_ + ":" + std::to_string(port()) + path;
}

std::vector<received_request> scripted_http::requests() const {
  std::lock_guard guard{mutex_};
  return requests_;
}

size_t scripted_http::count() const {
  std::lock_guard guard{mutex_};
  return requests_.size();
}

size_t scripted_http::begin(const received_request& request) {
  std::lock_guard guard{mutex_};
  requests_.push_back(request);
  return requests_.size() - 1;
}

void scripted_http::update(size_t place, const received_request& request) {
  std::lock_guard guard{mutex_};
  requests_.at(place) = request;
}

void scripted_http::serve(size_t number, scripted_peer& wire) {
  received_request request;
  request.connection = number;
  http_peer peer{*this, wire, request};
  for (const auto& step : scripts_[std::min(number, scripts_.size() - 1)])
    if (!step(peer))
      break;
}

} // namespace notify::test

#include "tests/support/mail_dev.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace notify::test {

namespace http = boost::beast::http;
namespace json = boost::json;
using tcp = boost::asio::ip::tcp;

namespace {

std::pair<std::string, uint16_t> address_from(const char* variable) {
  const auto* value = std::getenv(variable);
  if (value == nullptr)
    throw std::runtime_error(std::string{variable} + " is not set: it names the MailDev server");
  std::string text = value;
  if (auto scheme = text.find("://"); scheme != std::string::npos)
    text.erase(0, scheme + 3);
  auto colon = text.rfind(':');
  if (colon == std::string::npos)
    throw std::runtime_error(std::string{variable} + " is not host:port");
  return {text.substr(0, colon), static_cast<uint16_t>(std::stoul(text.substr(colon + 1)))};
}

std::string get(const std::string& host, uint16_t port, const std::string& target) {
  boost::asio::io_context io;
  tcp::socket socket{io};
  boost::asio::connect(socket, tcp::resolver{io}.resolve(host, std::to_string(port)));
  http::request<http::empty_body> request{http::verb::get, target, 11};
  request.set(http::field::host, host);
  http::write(socket, request);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> response;
  response.body_limit(std::numeric_limits<uint64_t>::max());
  http::read(socket, buffer, response);
  if (response.get().result() != http::status::ok)
    throw std::runtime_error("MailDev does not answer " + target);
  return response.get().body();
}

std::string text_of(const json::object& mail, const char* name) {
  const auto* value = mail.if_contains(name);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

/// A body with plain line ends: on the wire they are CRLF, and MailDev keeps those of base64.
std::string body_of(const json::object& mail, const char* name) {
  auto text = text_of(mail, name);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

/// The first entry of an address list.
json::object first_address(const json::object& mail, const char* name) {
  const auto* list = mail.if_contains(name);
  if (list == nullptr || !list->is_array() || list->as_array().empty())
    return {};
  return list->as_array()[0].as_object();
}

} // namespace

mail_dev::mail_dev() {
  std::tie(smtp_host_, smtp_port_) = address_from("NOTIFY_TEST_SMTP");
  std::tie(web_host_, web_port_) = address_from("NOTIFY_TEST_MAILDEV");
}

std::vector<seen_mail> mail_dev::mails(const std::string& prefix) const {
  std::vector<seen_mail> result;
  auto all = json::parse(get(web_host_, web_port_, "/email"));
  for (const auto& entry : all.as_array()) {
    const auto& mail = entry.as_object();
    auto id = text_of(mail.at("headers").as_object(), "message-id");
    if (!id.starts_with('<' + prefix))
      continue;
    auto from = first_address(mail, "from");
    result.push_back({id.substr(1, id.size() - 2), text_of(from, "address"), text_of(from, "name"),
                      text_of(first_address(mail, "to"), "address"), text_of(mail, "subject"),
                      body_of(mail, "text"), body_of(mail, "html")});
  }
  return result;
}

} // namespace notify::test

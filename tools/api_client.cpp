#include "tools/api_client.hpp"

#include "actors/providers/io_threads.hpp"
#include "http/client/http_url.hpp"
#include "messages/error.hpp"
#include "tools/json_text.hpp"
#include "tools/printable.hpp"
#include "tools/secrets.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstdlib>
#include <future>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr const char* default_api = "http://127.0.0.1:8080";
constexpr size_t most_bytes = 64u << 20u; ///< Of one answer; a page has far fewer.
constexpr size_t shown_bytes = 1000;      ///< Of a message from the other side.

std::string variable(const char* name) {
  const auto* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// All but what RFC 3986 never gives a meaning.
std::string percent_encoded(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (unsigned char c : text) {
    auto plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                 || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      result += static_cast<char>(c);
    } else {
      result += '%';
      result += digits[c >> 4u];
      result += digits[c & 15u];
    }
  }
  return result;
}

bool is_this_machine(const std::string& host) {
  boost::system::error_code failure;
  auto address = boost::asio::ip::make_address(host, failure);
  return host == "localhost" || (!failure && address.is_loopback());
}

caf::expected<std::string> read_base(const cli::arguments& from) {
  auto text = from.has("api") ? from.at("api") : variable("NOTIFYCTL_API");
  if (text.empty())
    text = default_api;
  while (text.ends_with('/'))
    text.pop_back();
  // The text is not repeated: someone may have put a password into it.
  auto url = parse_http_url(text);
  if (!url || url->target != "/" || text.find('#') != std::string::npos)
    return refuse(std::string{"--api must be a URL such as "} + default_api
                  + ", without a user, a path or a query");
  return text;
}

caf::expected<std::string> read_token(const cli::arguments& from) {
  auto token = variable("NOTIFYCTL_TOKEN");
  if (from.has("token-file")) {
    auto line = read_secret_file(from.at("token-file"));
    if (!line)
      return std::move(line.error());
    token = std::move(*line);
  }
  if (token.find_first_of(" \t\r\n") != std::string::npos || !is_printable(token, false))
    return refuse("the token has blanks or control characters");
  return token;
}

/// The service's own words, or what came instead of them.
std::string problem_of(int status, const boost::json::value& body) {
  const auto& error = member(body, "error");
  auto code = text_of(error, "code");
  auto number = std::to_string(status);
  if (code.empty())
    return "the answer has status " + number
           + " and is not the service's: is something else at this address?";
  auto result = text_of(error, "message") + " (" + code + ", " + number + ")";
  auto details = shown_members(member(error, "details"));
  return printable_line(result + (details.empty() ? "" : ": " + details), shown_bytes);
}

api_answer to_answer(const http_exchange& x, const std::string& base) {
  api_answer result;
  if (x.event != http_event::answered || !x.body_complete) {
    auto why = x.detail.empty() ? to_string(x.event) : x.detail;
    result.problem = base + " does not answer: " + printable_line(why, shown_bytes)
                     + ". Is notifyd running there, with service.run-http?";
    return result;
  }
  result.status = x.status;
  boost::json::error_code failure;
  result.body = boost::json::parse(x.body, failure);
  auto is_good = x.status >= 200 && x.status < 300 && !failure && result.body.is_object();
  if (!is_good)
    result.problem = problem_of(x.status, result.body);
  return result;
}

} // namespace

std::string path_part(std::string_view word) {
  return percent_encoded(word);
}

caf::expected<std::unique_ptr<api_client>> api_client::open(const cli::arguments& from,
                                                            streams io) {
  auto base = read_base(from);
  if (!base)
    return std::move(base.error());
  auto token = read_token(from);
  if (!token)
    return std::move(token.error());
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto url = parse_http_url(*base);
  if (!token->empty() && !url->is_tls && !is_this_machine(url->host))
    io.err << "notifyctl: warning: the token goes to " << url->host << " unencrypted\n";
  std::unique_ptr<api_client> result{
      new api_client(std::move(*base), std::move(*token), std::chrono::seconds{*timeout})};
  http_client_config config;
  config.user_agent = "notifyctl";
  config.ca_file = from.at("ca-file");
  config.max_body_bytes = most_bytes;
  config.connect_timeout = result->timeout_;
  auto client = http_client::make(result->io_->context(), config);
  if (!client)
    return std::move(client.error());
  result->client_ = std::move(*client);
  return result;
}

api_client::api_client(std::string base, std::string token, std::chrono::seconds timeout)
    : base_(std::move(base)), token_(std::move(token)), timeout_(timeout),
      io_(std::make_unique<io_threads>(1)) {}

api_client::~api_client() {
  if (client_)
    client_->stop();
  io_->stop();
}

api_answer api_client::get(const std::string& path, const api_query& query) {
  http_request request;
  request.method = "GET";
  request.url = path;
  auto separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : query) {
    request.url += separator + name + "=" + percent_encoded(value);
    separator = '&';
  }
  return send(std::move(request));
}

api_answer api_client::post(const std::string& path, const boost::json::value& body) {
  http_request request;
  request.url = path;
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = boost::json::serialize(body);
  auto result = send(std::move(request));
  // Nobody knows what became of it, and to say it again may be wrong.
  if (result.status == 0 || result.status == 503)
    result.problem += " Whether it was done is not known: look before you repeat it.";
  return result;
}

api_answer api_client::send(http_request request) {
  // The token stays with the host that it is for.
  if (!request.url.starts_with('/'))
    return {0, {}, "the service names a page that is not its own"};
  request.url.insert(0, base_);
  request.headers.emplace_back("Accept", "application/json");
  if (!token_.empty())
    request.headers.emplace_back("Authorization", "Bearer " + token_);
  request.deadline = timeout_;
  std::promise<http_exchange> done;
  client_->send(std::move(request), [&done](http_exchange x) { done.set_value(std::move(x)); });
  return to_answer(done.get_future().get(), base_);
}

int report(const api_answer& x, std::string_view path, streams io) {
  io.err << "notifyctl " << path << ": " << x.problem << '\n';
  if (text_of(member(x.body, "error"), "code").empty())
    return cli::failed; // Not the service's: its number means nothing.
  switch (x.status) {
  case 400:
    return cli::usage;
  case 401:
  case 403:
    return cli::not_allowed;
  case 404:
    return cli::not_found;
  case 409:
    return cli::wrong_state;
  default:
    return cli::failed;
  }
}

} // namespace notify::ctl

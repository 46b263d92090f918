#include "tools/fake_provider/control.hpp"

#include "tools/fake_provider/http_peer.hpp"
#include "tools/fake_provider/script_json.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace notify::fake {

namespace asio = boost::asio;
namespace json = boost::json;
namespace wire = boost::beast::http;

namespace {

using query_map = std::map<std::string, std::string, std::less<>>;

constexpr auto usage = R"(The control port of a fake provider.

  PUT    /script     a JSON list of rules; [] makes it behave well again
  GET    /requests   what came in, oldest first; ?key= ?recipient= (contained), ?after=ID, ?limit=N
  DELETE /requests   forgets requests, counts and idempotency keys
  GET    /counts     requests and acceptances by key and recipient; ?key= ?recipient=
  POST   /release    lets those go that wait; ?key= (contained in key or recipient), ?count=N
  GET    /state      rules with their use, who waits, sums

The rules stand in docs/fake-provider.md.
)";

http_answer failure(unsigned status, const std::string& text) {
  json::object body;
  body["error"] = text;
  return json_answer(status, body);
}

/// Decodes %XX and '+'. What is not of that form stays as it is.
std::string decode(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size()
        && std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

query_map read_query(std::string_view text) {
  query_map result;
  while (!text.empty()) {
    auto end = text.find('&');
    auto part = text.substr(0, end);
    auto equals = part.find('=');
    auto value = equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    result[decode(part.substr(0, equals))] = decode(value);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return result;
}

std::string text_of(const query_map& query, std::string_view name) {
  auto found = query.find(name);
  return found != query.end() ? found->second : std::string{};
}

/// A number of the query; `fallback` if it is not there, nothing if it is none.
std::optional<uint64_t> number_of(const query_map& query, std::string_view name,
                                  uint64_t fallback) {
  auto found = query.find(name);
  if (found == query.end())
    return fallback;
  uint64_t value = 0;
  const auto& text = found->second;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// The name of the first parameter that this route does not have.
std::optional<std::string> unknown_name(const query_map& query,
                                        const std::vector<std::string_view>& known) {
  for (const auto& [name, value] : query)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return name;
  return std::nullopt;
}

template <class T>
bool is_asked_for(const T& x, const query_map& query) {
  return x.key.find(text_of(query, "key")) != std::string::npos
         && x.recipient.find(text_of(query, "recipient")) != std::string::npos;
}

http_answer put_script(const http_request& request, stage& shared) {
  try {
    shared.rules.replace(read_script(request.body()));
  } catch (const script_error& x) {
    return failure(400, x.what());
  }
  json::object body;
  body["rules"] = shared.rules.rules().size();
  return json_answer(200, body);
}

http_answer get_requests(const query_map& query, const stage& shared) {
  auto after = number_of(query, "after", 0);
  auto limit = number_of(query, "limit", 1000);
  if (!after || !limit)
    return failure(400, "after and limit are whole numbers");
  json::array list;
  for (const auto& x : shared.log.records()) {
    if (list.size() >= *limit)
      break;
    if (x.id > *after && is_asked_for(x, query))
      list.push_back(to_json(x));
  }
  json::object body;
  body["requests"] = std::move(list);
  return json_answer(200, body);
}

http_answer get_counts(const query_map& query, const stage& shared) {
  json::array list;
  size_t requests = 0;
  size_t accepted_count = 0;
  for (const auto& x : shared.log.tallies()) {
    if (!is_asked_for(x, query))
      continue;
    requests += x.requests;
    accepted_count += x.accepted;
    list.push_back(to_json(x));
  }
  json::object body;
  body["requests"] = requests;
  body["accepted"] = accepted_count;
  body["by_key"] = std::move(list);
  return json_answer(200, body);
}

http_answer post_release(const query_map& query, stage& shared) {
  auto count = number_of(query, "count", std::numeric_limits<size_t>::max());
  if (!count)
    return failure(400, "count is a whole number");
  json::object body;
  body["released"] = shared.room.release(text_of(query, "key"), *count);
  return json_answer(200, body);
}

http_answer delete_requests(stage& shared) {
  shared.log.clear();
  shared.keys.clear();
  return json_answer(200, {});
}

/// One route: what it takes, and what it does.
struct route {
  wire::verb method;
  std::string_view path;
  std::vector<std::string_view> parameters;
  http_answer (*run)(const http_request&, const query_map&, stage&);
};

const route routes[] = {
    {wire::verb::get,
     "/",
     {},
     [](const http_request&, const query_map&, stage&) {
       return http_answer{200, {{"Content-Type", "text/plain"}}, usage};
     }},
    {wire::verb::put,
     "/script",
     {},
     [](const http_request& x, const query_map&, stage& y) { return put_script(x, y); }},
    {wire::verb::get,
     "/requests",
     {"key", "recipient", "after", "limit"},
     [](const http_request&, const query_map& x, stage& y) { return get_requests(x, y); }},
    {wire::verb::delete_,
     "/requests",
     {},
     [](const http_request&, const query_map&, stage& y) { return delete_requests(y); }},
    {wire::verb::get,
     "/counts",
     {"key", "recipient"},
     [](const http_request&, const query_map& x, stage& y) { return get_counts(x, y); }},
    {wire::verb::post,
     "/release",
     {"key", "count"},
     [](const http_request&, const query_map& x, stage& y) { return post_release(x, y); }},
    {wire::verb::get,
     "/state",
     {},
     [](const http_request&, const query_map&, stage& y) { return json_answer(200, state_of(y)); }},
};

} // namespace

json::object state_of(const stage& shared) {
  json::object result;
  result["rules"] = rule_counts(shared.rules);
  result["connections"] = shared.connections;
  result["waiting"] = shared.room.size();
  result["requests"] = shared.log.requests();
  result["accepted"] = shared.log.accepted();
  result["idempotency_keys"] = shared.keys.size();
  return result;
}

http_answer control(const http_request& request, stage& shared) {
  auto target = std::string{request.target()};
  auto mark = target.find('?');
  auto path = target.substr(0, mark);
  auto query = read_query(mark == std::string::npos ? "" : target.substr(mark + 1));
  auto path_is_known = false;
  for (const auto& x : routes) {
    if (x.path != path)
      continue;
    path_is_known = true;
    if (x.method != request.method())
      continue;
    if (auto name = unknown_name(query, x.parameters))
      return failure(400, "unknown parameter " + *name);
    return x.run(request, query, shared);
  }
  if (path_is_known)
    return failure(405, path + " does not take " + std::string{request.method_string()});
  return failure(404, "nothing at " + path + "; GET / lists what there is");
}

asio::awaitable<void> serve_control(asio::ip::tcp::socket socket, stage& shared) {
  http_peer peer{std::move(socket)};
  for (auto more = true; more;) {
    auto request = co_await peer.read();
    if (!request)
      break;
    auto answer = control(*request, shared);
    more = co_await peer.write(answer, *request);
  }
  end_connection(peer.socket(), false);
}

} // namespace notify::fake

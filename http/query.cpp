#include "http/query.hpp"

#include "http/percent.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace notify::http {

namespace {

constexpr size_t most_parameters = 64;

fields refused(const std::string& why) {
  return fields{error_response(400, "INVALID_REQUEST", why)};
}

void add(boost::json::object& to, const std::string& name, const std::string& value) {
  auto [at, is_new] = to.emplace(name, value);
  if (is_new)
    return;
  if (!at->value().is_array())
    at->value() = boost::json::array{at->value()};
  at->value().get_array().emplace_back(value);
}

} // namespace

fields read_query(const request& x) {
  boost::json::object values;
  std::string_view rest = x.query;
  for (size_t count = 0; !rest.empty(); ++count) {
    if (count == most_parameters)
      return refused("The query has too many parameters.");
    auto end = std::min(rest.find('&'), rest.size());
    auto part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.empty())
      continue;
    auto equals = std::min(part.find('='), part.size());
    auto name = percent_decoded(part.substr(0, equals), plus_sign::space);
    auto value = percent_decoded(part.substr(std::min(equals + 1, part.size())), plus_sign::space);
    if (!name || !value)
      return refused("The query cannot be decoded.");
    add(values, *name, *value);
  }
  return {"parameter", std::move(values)};
}

} // namespace notify::http

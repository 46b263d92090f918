#include "http/message.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/json/serialize.hpp>

namespace notify::http {

std::string_view request::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (boost::beast::iequals(key, name))
      return value;
  return {};
}

std::string_view request::param(std::string_view name) const {
  for (const auto& [key, value] : params)
    if (key == name)
      return value;
  return {};
}

response json_response(unsigned status, const boost::json::object& body) {
  return {status, "application/json", boost::json::serialize(body), {}};
}

response error_response(unsigned status, std::string_view code, std::string_view message,
                        boost::json::object details) {
  boost::json::object error;
  error["code"] = code;
  error["message"] = message;
  error["details"] = std::move(details);
  boost::json::object body;
  body["error"] = std::move(error);
  return json_response(status, body);
}

} // namespace notify::http

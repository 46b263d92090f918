#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify::http {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// A request, complete and within the limits.
struct request {
  std::string method; ///< As sent, e.g. `GET`.
  std::string path;   ///< As sent, percent-encoding included, without the query.
  std::string query;  ///< Behind the '?', as sent.
  header_list headers;
  std::string body;

  /// The first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

/// An answer. The server adds length, date, connection and security headers; a header here replaces
/// the server's own.
struct response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  header_list headers;
};

/// Answers one request. Call it once, from any thread; later calls are ignored. Never calling it
/// makes the server answer 503 after its answer time-out.
using responder = std::function<void(response)>;

/// Handles one request. Runs on an I/O thread: must not block.
using handler = std::function<void(const request&, responder)>;

/// An answer with a JSON body.
response json_response(unsigned status, const boost::json::object& body);

/// An error in the API's form: `{"error":{"code":...,"message":...,"details":{...}}}`.
response error_response(unsigned status, std::string_view code, std::string_view message,
                        boost::json::object details = {});

} // namespace notify::http

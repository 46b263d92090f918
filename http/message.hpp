#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify::http {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// What a route asks for, and what a caller has: each level includes those before it.
enum class access : uint8_t {
  open,   ///< Anybody.
  viewer, ///< Whoever may look: the role `viewer`, or `operator`.
  act,    ///< Whoever may change something: the role `operator`.
};

/// Who asks. The name goes into the audit log.
struct principal {
  std::string name; ///< Empty: unknown, on an open route.
  access role = access::open;

  bool operator==(const principal&) const = default;
};

/// A request, complete and within the limits.
struct request {
  std::string method; ///< As sent, e.g. `GET`.
  std::string path;   ///< As sent, percent-encoding included, without the query.
  std::string query;  ///< Behind the '?', as sent; read it with http/query.hpp.
  header_list headers;
  std::string body; ///< Read it with http/json_body.hpp.
  std::string peer; ///< The client's address, without its port.

  // Filled by the router.
  std::string route;  ///< The pattern that the path fits, e.g. `/things/{id}`; empty: none.
  header_list params; ///< The values of the pattern's `{names}`, decoded.
  principal who;

  /// The first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const;

  /// The value of `{name}` in the route's pattern; empty if it has no such segment.
  std::string_view param(std::string_view name) const;
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

/// Handles one request of a route. Runs on an I/O thread: must not block.
using handler = std::function<void(const request&, responder)>;

/// Handles every request of a server and notes in it which route it took.
using dispatcher = std::function<void(request&, responder)>;

/// What became of one request, for whoever counts.
struct answered {
  std::string route;  ///< The pattern, never the path: few different ones. Empty: no route's.
  std::string method; ///< `other` for invented ones. Empty: the request could not be read.
  unsigned status = 0;
  double seconds = 0; ///< From the request's end to the answer's.
  size_t bytes = 0;   ///< Of the answer's body.
};

/// Runs on an I/O thread after each answer: must not block.
using answer_hook = std::function<void(const answered&)>;

/// An answer with a JSON body.
response json_response(unsigned status, const boost::json::object& body);

/// An error in the API's form: `{"error":{"code":...,"message":...,"details":{...}}}`.
response error_response(unsigned status, std::string_view code, std::string_view message,
                        boost::json::object details = {});

} // namespace notify::http

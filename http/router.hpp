#pragma once

#include "http/message.hpp"

#include <functional>
#include <map>
#include <string>

namespace notify::http {

/// Finds the handler of a request by its exact path and method. Filled before the server starts,
/// read-only and thread-safe afterwards.
class router {
public:
  /// Adds a route; a second one for the same path and method replaces the first. A GET route
  /// answers HEAD as well.
  void add(std::string method, std::string path, handler run);

  /// Calls the request's handler, or answers 404, or 405 with the methods that the path has.
  void operator()(const request& x, const responder& respond) const;

private:
  std::map<std::string, std::map<std::string, handler>, std::less<>> routes_;
};

} // namespace notify::http

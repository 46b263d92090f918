#pragma once

#include "http/message.hpp"

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify::http {

/// Decides whether a request may go on to a route that asks for this much: fills `who`, or answers
/// with the refusal (401, 403, 429). Asked for open routes, too. Thread-safe, does not block.
using guard = std::function<std::optional<response>(request&, access)>;

/// One route as the router has it.
struct route_info {
  std::string method;
  std::string pattern;
  access needed = access::open;
};

/// Finds the handler of a request by method and path. A pattern is a path whose segments may be
/// `{names}`, which take any non-empty text; where several fit, the one with the earlier literal
/// segment counts. Filled before the server starts, read-only and thread-safe afterwards.
class router {
public:
  /// Adds a route; a second one for the same method and pattern replaces the first. A GET route
  /// answers HEAD as well.
  void add(std::string method, const std::string& pattern, access needed, handler run);

  /// Without a guard only open routes are served, the others answer 401.
  void set_guard(guard decide) { guard_ = std::move(decide); }

  /// Calls the request's handler, or answers 400 for a path that cannot be decoded, 404, or 405
  /// with the methods that the path has, or what the guard says.
  void operator()(request& x, const responder& respond) const;

  /// All routes, HEAD left out.
  std::vector<route_info> routes() const;

private:
  struct segment {
    bool is_parameter = false;
    std::string text; ///< The literal, or the parameter's name.
    auto operator<=>(const segment&) const = default;
  };
  struct action {
    access needed;
    handler run;
  };
  struct path_entry {
    std::string pattern;
    std::vector<segment> segments;
    std::map<std::string, action> methods;
  };

  static std::vector<segment> split_pattern(const std::string& pattern);
  static bool fits(const path_entry& entry, const std::vector<std::string>& path);
  const path_entry* find(const std::vector<std::string>& path) const;
  void run_action(const action& chosen, request& x, const responder& respond) const;

  std::vector<path_entry> paths_; ///< Sorted by segments, so that the first that fits counts.
  guard guard_;
};

} // namespace notify::http

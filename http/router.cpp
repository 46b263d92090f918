#include "http/router.hpp"

#include "http/percent.hpp"

#include <algorithm>
#include <utility>

namespace notify::http {

namespace {

/// The parts behind each slash; a path is never empty and begins with one.
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> result;
  while (!path.empty()) {
    path.remove_prefix(1);
    auto end = std::min(path.find('/'), path.size());
    result.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return result;
}

std::optional<std::vector<std::string>> decoded_segments(std::string_view path) {
  std::vector<std::string> result;
  for (auto part : split(path)) {
    auto text = percent_decoded(part, plus_sign::itself);
    if (!text)
      return std::nullopt;
    result.push_back(std::move(*text));
  }
  return result;
}

response wrong_method(const std::string& allowed) {
  auto result = error_response(405, "METHOD_NOT_ALLOWED",
                               "This path does not take this method; it takes " + allowed + ".");
  result.headers.emplace_back("Allow", allowed);
  return result;
}

response no_guard() {
  auto result = error_response(401, "UNAUTHENTICATED", "Nobody is let in here.");
  result.headers.emplace_back("WWW-Authenticate", "Bearer");
  return result;
}

} // namespace

void router::add(std::string method, const std::string& pattern, access needed, handler run) {
  auto segments = split_pattern(pattern);
  auto at = std::lower_bound(paths_.begin(), paths_.end(), segments,
                             [](const auto& x, const auto& y) { return x.segments < y; });
  if (at == paths_.end() || at->segments != segments)
    at = paths_.insert(at, path_entry{pattern, std::move(segments), {}});
  if (method == "GET")
    at->methods["HEAD"] = action{needed, run};
  at->methods[std::move(method)] = action{needed, std::move(run)};
}

void router::operator()(request& x, const responder& respond) const {
  auto path = decoded_segments(x.path);
  if (!path) {
    respond(error_response(400, "BAD_REQUEST", "The path cannot be decoded."));
    return;
  }
  const auto* entry = find(*path);
  if (entry == nullptr) {
    respond(error_response(404, "NOT_FOUND", "There is nothing at this path."));
    return;
  }
  x.route = entry->pattern;
  for (size_t i = 0; i < path->size(); ++i)
    if (entry->segments[i].is_parameter)
      x.params.emplace_back(entry->segments[i].text, std::move((*path)[i]));
  auto method = entry->methods.find(x.method);
  if (method != entry->methods.end()) {
    run_action(method->second, x, respond);
    return;
  }
  std::string allowed;
  for (const auto& [name, known] : entry->methods)
    allowed += (allowed.empty() ? "" : ", ") + name;
  respond(wrong_method(allowed));
}

void router::run_action(const action& chosen, request& x, const responder& respond) const {
  if (guard_) {
    if (auto refusal = guard_(x, chosen.needed)) {
      respond(std::move(*refusal));
      return;
    }
  } else if (chosen.needed != access::open) {
    respond(no_guard());
    return;
  }
  chosen.run(x, respond);
}

std::vector<route_info> router::routes() const {
  std::vector<route_info> result;
  for (const auto& path : paths_)
    for (const auto& [method, what] : path.methods)
      if (method != "HEAD")
        result.push_back({method, path.pattern, what.needed});
  return result;
}

std::vector<router::segment> router::split_pattern(const std::string& pattern) {
  std::vector<segment> result;
  for (auto part : split(pattern)) {
    auto is_parameter = part.starts_with('{') && part.ends_with('}');
    result.push_back(
        {is_parameter, std::string{is_parameter ? part.substr(1, part.size() - 2) : part}});
  }
  return result;
}

bool router::fits(const path_entry& entry, const std::vector<std::string>& path) {
  return std::equal(entry.segments.begin(), entry.segments.end(), path.begin(), path.end(),
                    [](const segment& x, const std::string& y) {
                      return x.is_parameter ? !y.empty() : x.text == y;
                    });
}

const router::path_entry* router::find(const std::vector<std::string>& path) const {
  auto found =
      std::find_if(paths_.begin(), paths_.end(), [&](const auto& x) { return fits(x, path); });
  return found == paths_.end() ? nullptr : &*found;
}

} // namespace notify::http

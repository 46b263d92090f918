#include "http/router.hpp"

namespace notify::http {

void router::add(std::string method, std::string path, handler run) {
  auto& methods = routes_[std::move(path)];
  if (method == "GET")
    methods["HEAD"] = run;
  methods[std::move(method)] = std::move(run);
}

void router::operator()(const request& x, const responder& respond) const {
  auto found = routes_.find(x.path);
  if (found == routes_.end()) {
    respond(error_response(404, "NOT_FOUND", "There is nothing at this path."));
    return;
  }
  const auto& methods = found->second;
  auto method = methods.find(x.method);
  if (method != methods.end()) {
    method->second(x, respond);
    return;
  }
  std::string allowed;
  for (const auto& [name, run] : methods)
    allowed += (allowed.empty() ? "" : ", ") + name;
  auto refusal = error_response(405, "METHOD_NOT_ALLOWED",
                                "This path does not take this method; it takes " + allowed + ".");
  refusal.headers.emplace_back("Allow", allowed);
  respond(std::move(refusal));
}

} // namespace notify::http

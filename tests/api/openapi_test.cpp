#include "http/api/openapi.hpp"

#include "http/api/mount.hpp"
#include "http/token_list.hpp"
#include "tests/support/actor_fixture.hpp"

#include <boost/json/parse.hpp>

#include <cctype>
#include <set>

namespace notify::http {
namespace {

std::string upper(std::string_view text) {
  std::string result;
  for (auto c : text)
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

/// `GET /path viewer`, for each operation.
std::set<std::string> documented() {
  std::set<std::string> result;
  auto spec = boost::json::parse({openapi_json().data(), openapi_json().size()});
  for (const auto& path : spec.at("paths").as_object())
    for (const auto& operation : path.value().as_object())
      result.insert(upper(operation.key()) + " " + std::string{path.key()} + " "
                    + std::string{operation.value().at("x-role").as_string()});
  return result;
}

TEST_CASE_METHOD(notify::test::actor_fixture,
                 "every route is documented with its role, and every documented one is served") {
  router routes;
  mount_api(routes, {system, std::make_shared<directory>(), {}, {}, {}, {}});
  std::set<std::string> served;
  for (const auto& x : routes.routes())
    served.insert(x.method + " " + x.pattern + " " + role_name(x.needed));
  CHECK(served == documented());
}

} // namespace
} // namespace notify::http

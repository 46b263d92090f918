#include "tools/fake_provider/protocols.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <cstdio>

namespace notify::fake {

namespace json = boost::json;
namespace wire = boost::beast::http;

namespace {

/// `to` as one text; Resend takes a string or a list of them.
std::string recipients_of(const json::object& mail) {
  const auto* to = mail.if_contains("to");
  if (to == nullptr)
    return {};
  if (to->is_string())
    return std::string{to->as_string()};
  std::string result;
  if (to->is_array())
    for (const auto& x : to->as_array())
      if (x.is_string())
        result += (result.empty() ? "" : ",") + std::string{x.as_string()};
  return result;
}

void check_body(http_call& x, const std::optional<json::object>& mail) {
  constexpr size_t longest_key = 256;
  if (!mail) {
    refuse(x, resend_error(400, "validation_error", "The body is not a JSON object."),
           "no JSON object");
    return;
  }
  if (x.key.size() > longest_key) {
    refuse(x, resend_error(400, "invalid_idempotency_key", "The key must be between 1-256 chars."),
           "the key is too long");
    return;
  }
  for (const auto* name : {"from", "to", "subject"})
    if (!mail->contains(name)) {
      auto message = "Missing `" + std::string{name} + "` field.";
      refuse(x, resend_error(422, "missing_required_field", message), message);
      return;
    }
  if (x.recipient.find('@') == std::string::npos)
    refuse(x, resend_error(422, "validation_error", "Invalid `to` field."), "no address in `to`");
}

void check_login(http_call& x, const http_request& request, const accounts& known) {
  auto login = std::string{request[wire::field::authorization]};
  if (!login.starts_with("Bearer "))
    refuse(x, resend_error(401, "missing_api_key", "Missing API key in the authorization header."),
           "no bearer token");
  else if (!known.resend_key.empty() && login.substr(7) != known.resend_key)
    refuse(x, resend_error(403, "invalid_api_key", "API key is invalid."), "another API key");
}

} // namespace

http_call read_resend(const http_request& request, const accounts& known) {
  http_call result;
  result.via = protocol::resend;
  result.key = std::string{request["Idempotency-Key"]};
  auto mail = object_of(request.body());
  if (mail)
    result.recipient = recipients_of(*mail);
  if (request.method() != wire::verb::post)
    refuse(result, resend_error(405, "method_not_allowed", "Method is not allowed."), "not a POST");
  else
    check_login(result, request, known);
  if (!result.refusal)
    check_body(result, mail);
  return result;
}

http_answer resend_accepted(uint64_t number) {
  std::array<char, 40> id{};
  std::snprintf(id.data(), id.size(), "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(number));
  json::object body;
  body["id"] = id.data();
  return json_answer(200, body);
}

http_answer resend_error(unsigned status, std::string_view name, std::string_view message) {
  json::object body;
  body["statusCode"] = status;
  body["name"] = name;
  body["message"] = message;
  return json_answer(status, body);
}

} // namespace notify::fake

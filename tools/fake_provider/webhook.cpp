#include "tools/fake_provider/digest.hpp"
#include "tools/fake_provider/protocols.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace notify::fake {

namespace wire = boost::beast::http;

namespace {

/// A replayed request is refused after this, as the libraries of Standard Webhooks do.
constexpr int64_t tolerance_seconds = 300;

constexpr std::string_view secret_prefix = "whsec_";

std::string_view next_word(std::string_view& text) {
  auto end = text.find(' ');
  auto word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return word;
}

bool is_signed_by(const std::string& secret, std::string_view signatures,
                  const std::string& content) {
  std::string_view text = secret;
  if (text.starts_with(secret_prefix))
    text.remove_prefix(secret_prefix.size());
  auto wanted = "v1," + hmac_base64(from_base64(text), content);
  while (!signatures.empty())
    if (next_word(signatures) == wanted)
      return true;
  return false;
}

/// What is wrong with a signed request; empty: nothing.
std::string signature_problem(const http_request& request, const accounts& known, int64_t now) {
  auto id = std::string{request["webhook-id"]};
  auto time = std::string{request["webhook-timestamp"]};
  auto signatures = std::string{request["webhook-signature"]};
  if (id.empty() || time.empty() || signatures.empty())
    return "webhook-id, webhook-timestamp or webhook-signature is missing";
  int64_t seconds = 0;
  auto [end, failed] = std::from_chars(time.data(), time.data() + time.size(), seconds);
  if (failed != std::errc{} || end != time.data() + time.size())
    return "webhook-timestamp is not a number";
  if (std::llabs(now - seconds) > tolerance_seconds)
    return "webhook-timestamp is too far from now";
  auto content = id + '.' + time + '.' + request.body();
  auto matches = [&](const auto& secret) { return is_signed_by(secret, signatures, content); };
  if (std::none_of(known.webhook_secrets.begin(), known.webhook_secrets.end(), matches))
    return "no signature matches";
  return {};
}

} // namespace

http_call read_webhook(const http_request& request, const accounts& known, int64_t now) {
  http_call result;
  result.via = protocol::webhook;
  result.key = std::string{request["webhook-id"]};
  if (result.key.empty())
    result.key = std::string{request["Idempotency-Key"]};
  if (request.method() != wire::verb::post) {
    refuse(result, {405, {{"Allow", "POST"}}, {}}, "not a POST");
    return result;
  }
  if (known.webhook_secrets.empty())
    return result;
  auto problem = signature_problem(request, known, now);
  if (!problem.empty())
    refuse(result, {401, {}, {}}, problem);
  return result;
}

} // namespace notify::fake

#include "tools/fake_provider/protocols.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace notify::fake {

namespace json = boost::json;

http_call understand(const http_request& request, const accounts& known, int64_t now) {
  auto target = std::string_view{request.target().data(), request.target().size()};
  auto path = target.substr(0, target.find('?'));
  auto result = path == "/emails"          ? read_resend(request, known)
                : path.starts_with("/bot") ? read_telegram(request, known)
                                           : read_webhook(request, known, now);
  result.path = path;
  if (result.via == protocol::webhook)
    result.recipient = path;
  result.body = request.body();
  return result;
}

http_answer accepted(const http_call& x, uint64_t number) {
  if (x.via == protocol::resend)
    return resend_accepted(number);
  if (x.via == protocol::telegram)
    return telegram_accepted(x, number);
  return {};
}

void refuse(http_call& x, http_answer answer, std::string problem) {
  x.refusal = std::move(answer);
  x.problem = std::move(problem);
}

http_answer json_answer(unsigned status, const json::object& body) {
  return {status, {{"Content-Type", "application/json"}}, json::serialize(body)};
}

std::optional<json::object> object_of(const std::string& body) {
  boost::system::error_code failed;
  auto value = json::parse(body, failed);
  if (failed || !value.is_object())
    return std::nullopt;
  return std::move(value.as_object());
}

} // namespace notify::fake

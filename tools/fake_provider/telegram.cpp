#include "tools/fake_provider/protocols.hpp"

#include <boost/json/value_to.hpp>

#include <ctime>

namespace notify::fake {

namespace json = boost::json;
namespace wire = boost::beast::http;

namespace {

/// A chat is named by a number or by a text such as `@channel`.
std::string chat_of(const json::object& message) {
  const auto* id = message.if_contains("chat_id");
  if (id == nullptr)
    return {};
  if (id->is_string())
    return std::string{id->as_string()};
  if (id->is_int64())
    return std::to_string(id->as_int64());
  return {};
}

std::string text_of(const json::object& message) {
  const auto* text = message.if_contains("text");
  return text != nullptr && text->is_string() ? std::string{text->as_string()} : std::string{};
}

/// Telegram counts UTF-16 code units: one per character, two beyond the basic plane.
size_t utf16_length(std::string_view utf8) {
  size_t result = 0;
  for (auto x : utf8) {
    auto byte = static_cast<unsigned char>(x);
    if ((byte & 0xC0u) != 0x80u)
      result += byte >= 0xF0u ? 2 : 1;
  }
  return result;
}

void check_message(http_call& x, const json::object& message) {
  constexpr size_t longest_text = 4096;
  auto text = text_of(message);
  const char* problem = nullptr;
  if (x.recipient.empty())
    problem = "Bad Request: chat_id is empty";
  else if (text.empty())
    problem = "Bad Request: message text is empty";
  else if (utf16_length(text) > longest_text)
    problem = "Bad Request: message is too long";
  if (problem != nullptr)
    refuse(x, telegram_error(400, problem), problem);
}

} // namespace

http_call read_telegram(const http_request& request, const accounts& known) {
  http_call result;
  result.via = protocol::telegram;
  auto target = std::string{request.target()};
  auto rest = target.substr(std::string_view{"/bot"}.size());
  auto slash = rest.find('/');
  auto token = rest.substr(0, slash);
  auto method = slash == std::string::npos ? std::string{} : rest.substr(slash + 1);
  auto message = object_of(request.body());
  if (message)
    result.recipient = chat_of(*message);
  if (!known.telegram_token.empty() && token != known.telegram_token)
    refuse(result, telegram_error(401, "Unauthorized"), "another token");
  else if (method != "sendMessage")
    refuse(result, telegram_error(404, "Not Found"), "no method of that name");
  else if (!message)
    refuse(result, telegram_error(400, "Bad Request: can't parse JSON object"), "no JSON object");
  else
    check_message(result, *message);
  return result;
}

http_answer telegram_accepted(const http_call& x, uint64_t number) {
  auto message = object_of(x.body).value_or(json::object{});
  json::object chat;
  // As it was given: a number stays one.
  chat["id"] = message["chat_id"];
  json::object result;
  result["message_id"] = number;
  result["date"] = std::time(nullptr);
  result["chat"] = std::move(chat);
  result["text"] = message["text"];
  json::object body;
  body["ok"] = true;
  body["result"] = std::move(result);
  return json_answer(200, body);
}

http_answer telegram_error(unsigned status, std::string_view description, json::object parameters) {
  json::object body;
  body["ok"] = false;
  body["error_code"] = status;
  body["description"] = description;
  if (!parameters.empty())
    body["parameters"] = std::move(parameters);
  return json_answer(status, body);
}

} // namespace notify::fake

#pragma once

#include "tools/fake_provider/script.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the three HTTP protocols say when nothing is scripted: who is meant, what the real receiver
// would refuse, and how it says yes.

namespace notify::fake {

using http_request = boost::beast::http::request<boost::beast::http::string_body>;

/// What a sender must know; empty: anything goes.
struct accounts {
  std::string resend_key;
  std::string telegram_token;
  std::vector<std::string> webhook_secrets; ///< `whsec_` and base64; any of them will do.
};

/// One request as its protocol means it.
struct http_call {
  protocol via = protocol::webhook;
  std::string recipient;
  std::string path;
  std::string key; ///< Idempotency-Key or webhook-id; Telegram has none.
  std::string body;
  std::optional<http_answer> refusal;
  std::string problem; ///< Why it is refused, in words.
};

/// Reads a request. `now` is seconds since 1970, against which a webhook's timestamp is held.
http_call understand(const http_request& request, const accounts& known, int64_t now);

/// The usual answer to an accepted call; `number` makes the message's id.
http_answer accepted(const http_call& x, uint64_t number);

http_call read_resend(const http_request& request, const accounts& known);
http_answer resend_accepted(uint64_t number);
http_answer resend_error(unsigned status, std::string_view name, std::string_view message);

http_call read_telegram(const http_request& request, const accounts& known);
http_answer telegram_accepted(const http_call& x, uint64_t number);
http_answer telegram_error(unsigned status, std::string_view description,
                           boost::json::object parameters = {});

http_call read_webhook(const http_request& request, const accounts& known, int64_t now);

/// Refuses a call with this answer; `problem` is for people.
void refuse(http_call& x, http_answer answer, std::string problem);

/// An answer with a JSON body.
http_answer json_answer(unsigned status, const boost::json::object& body);

/// A body that must be a JSON object; nothing if it is none.
std::optional<boost::json::object> object_of(const std::string& body);

} // namespace notify::fake

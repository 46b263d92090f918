#include "http/failure.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"
#include "messages/safe_text.hpp"

#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace notify::http {

namespace {

/// The words that came with one of the codes for people; ours, never a library's.
std::string words_of(const caf::error& err, std::string_view otherwise) {
  const auto& context = err.context();
  if (context.size() >= 1 && context.match_element<std::string>(0))
    return safe_text(context.get_as<std::string>(0), 512);
  return std::string{otherwise};
}

/// True if the same request may succeed soon.
bool passes(const caf::error& err) {
  return is_transient(err) || err == ec::stopping || err == ec::crashed
         || err == caf::sec::request_timeout || err == caf::sec::request_receiver_down
         || err == caf::sec::invalid_argument || err == caf::sec::runtime_error;
}

} // namespace

response failure_response(const caf::error& err, std::string_view noun) {
  auto code = std::string{noun};
  if (err == ec::not_found)
    return error_response(404, code + "_NOT_FOUND", words_of(err, "There is no such thing."));
  if (err == ec::wrong_state)
    return error_response(409, "WRONG_STATUS",
                          words_of(err, "That cannot be done in its present state."));
  if (err == ec::invalid_request)
    return error_response(400, "INVALID_REQUEST", words_of(err, "The request makes no sense."));
  if (!passes(err)) {
    log::error("http", "a request failed", {{"reason", render(err)}});
    return error_response(500, "INTERNAL_ERROR", "Something went wrong here.");
  }
  log::warning("http", "a request could not be served", {{"reason", render(err)}});
  auto result = error_response(503, "UNAVAILABLE", "This cannot be answered right now; try again.");
  result.headers.emplace_back("Retry-After", "2");
  return result;
}

} // namespace notify::http

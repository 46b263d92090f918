#pragma once

#include "actors/providers/provider.hpp"
#include "http/client/http_exchange.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace notify::test {

/// 2026-09-01T16:00:00Z, a Tuesday.
inline constexpr std::chrono::sys_seconds sample_time{std::chrono::seconds{1788278400}};

/// An answer to a request that left completely.
inline http_exchange answered(int status, std::string body = {}, http_headers headers = {}) {
  http_exchange result;
  result.event = http_event::answered;
  result.phase = send_phase::read_reply;
  result.request_complete = true;
  result.status = status;
  result.headers = std::move(headers);
  result.body = std::move(body);
  result.body_complete = true;
  return result;
}

/// An exchange without an answer.
inline http_exchange ended(http_event event, send_phase phase, bool request_complete) {
  http_exchange result;
  result.event = event;
  result.phase = phase;
  result.request_complete = request_complete;
  result.detail = "some error";
  return result;
}

/// A send to `recipient` with these words.
inline send_request message_to(std::string recipient, std::string text = "text") {
  send_request result;
  result.recipient = std::move(recipient);
  result.content.subject = "subject";
  result.content.text = std::move(text);
  result.idempotency_key = "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01";
  return result;
}

} // namespace notify::test

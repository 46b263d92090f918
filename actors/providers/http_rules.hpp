#pragma once

#include "http/client/http_exchange.hpp"
#include "messages/outcome.hpp"

#include <span>
#include <string_view>

// What an exchange means, as data: the classifier reads it, and so does docs/retry-table.md.

namespace notify {

/// A row for exchanges without an answer. First match wins.
struct http_event_rule {
  http_event event;
  bool after_request; ///< For requests that left completely, or for those that surely did not.
  send_phase phase;   ///< `none`: any.
  outcome_kind api;
  outcome_kind webhook; ///< Receivers tell repeated messages by their id.
  std::string_view reason;
  std::string_view note;
};

/// A row for answers. First match wins.
struct http_status_rule {
  int first_status;
  int last_status;
  bool needs_wait; ///< Only for answers with a `Retry-After`.
  outcome_kind api;
  outcome_kind api_with_key; ///< While the provider remembers our idempotency key.
  outcome_kind webhook;
  std::string_view reason;
  std::string_view note;
  bool pauses_channel = false;      ///< Of provider APIs: the wait is about our account.
  bool suppresses_endpoint = false; ///< Of webhooks.
  bool can_be_final = false;        ///< A webhook's refusal that a setting makes `permanent`.
};

std::span<const http_event_rule> http_event_rules();
std::span<const http_status_rule> http_status_rules();

} // namespace notify

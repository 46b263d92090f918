#pragma once

#include <caf/meta/type_name.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <string>

namespace notify {

/// What one attempt on the wire came to. The single model behind every provider.
enum class outcome_kind : uint8_t {
  sent,        ///< The provider took responsibility.
  retry,       ///< Surely not accepted; may work later.
  retry_after, ///< As `retry`, and the provider said when (`wait_hint`).
  permanent,   ///< Surely not accepted and never will be.
  hold,        ///< Surely not accepted, and the cause is our account or configuration.
  unknown,     ///< May have been accepted: the answer was lost.
  interrupted, ///< Surely not accepted, because we ended it ourselves: the job is given back.
};

/// How far an attempt got. Decides together with the reply, never the library's code alone.
enum class send_phase : uint8_t {
  none,
  render,
  resolve,
  connect,
  tls,
  greeting,
  ehlo,
  auth,
  mail,
  rcpt,
  data,
  body,
  final_dot,
  send_headers,
  send_body,
  wait_reply,
  read_reply,
  done,
};

std::string to_string(outcome_kind x);
std::string to_string(send_phase x);

/// The answer of a provider adapter to one send.
struct outcome {
  outcome_kind kind = outcome_kind::unknown;
  send_phase phase = send_phase::none; ///< The last phase that was begun.
  std::string provider;                ///< The adapter's name, e.g. `smtp`.
  int32_t provider_status = 0;         ///< HTTP status or SMTP reply code; 0 if none came.
  std::string provider_code;           ///< Enhanced code or provider error name, if any.
  std::string provider_message_id;     ///< What the provider calls the message, if it said so.
  std::string reason;                  ///< Stable code, e.g. `smtp_rcpt_refused`.
  std::string detail;                  ///< Reply text: cut, valid UTF-8, without secrets.
  caf::timespan wait_hint{0};          ///< The provider's own wait, unclamped; 0 if none.
  bool pause_channel = false;          ///< The wait concerns all of the channel's sends.
  bool suppress_recipient = false;     ///< This recipient refuses for good; do not try it again.
  uint64_t bytes_sent = 0;             ///< Bytes of the message handed to the kernel.
  bool connection_reused = false;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, outcome& x) {
  return f(caf::meta::type_name("outcome"), x.kind, x.phase, x.provider, x.provider_status,
           x.provider_code, x.provider_message_id, x.reason, x.detail, x.wait_hint, x.pause_channel,
           x.suppress_recipient, x.bytes_sent, x.connection_reused);
}

} // namespace notify

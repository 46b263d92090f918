#include "tools/channel_options.hpp"

#include "tools/option_builder.hpp"
#include "tools/smtp_override_text.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace notify {

namespace {

using namespace std::chrono_literals;

void add_retry(section& s, retry_policy& x) {
  s.add("retry-delays", x.delays,
        "The wait after the n-th failure is the n-th entry; after the last one the notification "
        "is dead. Entry 0 belongs to the first attempt and is 0s.")
      .not_empty();
  s.add("retry-base", x.base,
        "Not 0s: instead of retry-delays, the wait after the n-th failure is "
        "retry-base * retry-factor^(n-1), at most retry-cap.")
      .between(0s, 168h);
  s.add("retry-factor", x.factor, "See retry-base.").between(1, 100);
  s.add("retry-cap", x.cap, "See retry-base; jitter comes on top.").between(0s, 720h);
  s.add("retry-attempts", x.attempts,
        "With retry-base: the failures after which a notification is dead.")
      .between(1, 1'000'000);
  s.add("retry-jitter", x.jitter, "Up to this share of a wait is added to it.").between(0, 10);
  s.add("retry-hold-delay", x.hold_delay,
        "Between two attempts while the provider refuses our account as a whole.")
      .between(1s, 24h);
  s.add("retry-unknown", x.unknown,
        {{"retry", unknown_policy::retry}, {"park", unknown_policy::park}},
        "What becomes of a notification whose answer was lost, so that it may have arrived: "
        "\"retry\" sends it again, \"park\" leaves it dead until a person decides. Neither applies "
        "while the provider still knows its idempotency key: then a retry is safe.");
  s.add("retry-unknown-delay", x.unknown_delay, "The least wait before such a retry.")
      .between(0s, 24h);
  s.add("retry-unknown-attempts", x.unknown_attempts,
        "Lost answers after which a notification is dead in any case.")
      .between(1, 1000);
  s.add("retry-max-wait", x.max_wait_hint, "The longest wait that a provider may ask for.")
      .between(0s, 168h);
}

void add_breaker(section& s, breaker_policy& x) {
  s.add("breaker-failures", x.failures,
        "Failures in a row after which the channel waits, one send at a time probing whether the "
        "provider is back. 0: only when it refuses our account as a whole.")
      .between(0, 1'000'000);
  s.add("breaker-wait", x.first_wait, "Until the first probe; doubles after each that fails.")
      .between(100ms, 24h);
  s.add("breaker-max-wait", x.max_wait, "No wait for a probe is longer.").between(100ms, 24h);
}

/// Binds rules to the texts that people write.
parsed_list as_texts(std::vector<smtp_override>& rules) {
  auto get = [&rules] {
    std::vector<std::string> result;
    std::transform(rules.begin(), rules.end(), std::back_inserter(result), smtp_override_text);
    return result;
  };
  auto set = [&rules](const std::vector<std::string>& texts) -> std::optional<std::string> {
    std::vector<smtp_override> result;
    for (const auto& text : texts)
      if (auto wrong = read_smtp_override(text, result.emplace_back()))
        return wrong;
    rules = std::move(result);
    return std::nullopt;
  };
  return {get, set};
}

void add_smtp(section& s, smtp_config& x, std::string& password_file) {
  s.add("smtp-host", x.host, "The relay's name or address.").not_empty();
  s.add("smtp-port", x.port, "Usually 25, 465 (tls) or 587 (starttls).").between(1, 65535);
  s.add("smtp-security", x.security,
        {{"none", smtp_security::none},
         {"starttls", smtp_security::starttls},
         {"tls", smtp_security::tls}},
        "\"starttls\" requires it: there is no silent fall-back to plain text.");
  s.add("smtp-verify-certificate", x.verify_certificate,
        "Turn it off only for a relay with a self-made certificate, on a trusted network.");
  s.add("smtp-ca-file", x.ca_file, "Certificates to trust (PEM). Empty: the system's.").is_a_path();
  s.add("smtp-username", x.username, "Empty: no login.");
  s.add("smtp-password-file", password_file, "File whose first line is the password.").is_a_path();
  s.add("smtp-helo-name", x.helo_name, "How this host greets the relay.").not_empty();
  s.add("smtp-from-address", x.from_address, "Sender of every mail.").not_empty();
  s.add("smtp-from-name", x.from_name, "The sender's name as people see it.");
  s.add("smtp-message-id-domain", x.message_id_domain, "Right side of every Message-ID.")
      .not_empty();
  s.add("smtp-max-connections", x.max_connections,
        "Open connections to the relay; not fewer than slots, which would wait for one.")
      .between(1, 1000);
  s.add("smtp-max-messages-per-connection", x.max_messages_per_connection,
        "Then the connection is replaced.")
      .between(1, 1'000'000);
  s.add("smtp-max-idle", x.max_idle, "An unused connection is closed after this.").between(0s, 1h);
  s.add("smtp-connect-timeout", x.connect_timeout, "For the connection and its greeting.")
      .between(100ms, 10min);
  s.add("smtp-command-timeout", x.command_timeout, "For the answer to one command.")
      .between(100ms, 1h);
  s.add("smtp-final-dot-timeout", x.final_dot_timeout,
        "For the answer to the mail's end. A short one makes duplicates.")
      .between(100ms, 1h);
  s.add("smtp-overrides", as_texts(x.overrides),
        "How to read refusals that this relay words otherwise than the standard, e.g. "
        "[\"550 'too many emails per second' retry_after 5s\"]: a code or *, the start of an "
        "enhanced code such as 5.7. and part of the text in quotes (both may be left out), then "
        "retry, retry_after and a wait, permanent, or hold. The first rule that matches counts.");
}

void add_resend(section& s, resend_config& x, std::string& key_file) {
  s.add("resend-api-url", x.api_url, "Where Resend's API is.").not_empty();
  s.add("resend-key-file", key_file, "File whose first line is the API key.").is_a_path();
  s.add("resend-from", x.from,
        "Sender of every mail: an address of a domain that Resend knows as yours, or a name and "
        "the address in <>.");
}

void add_telegram(section& s, telegram_config& x, std::string& token_file) {
  s.add("telegram-api-url", x.api_url, "Where the Bot API is.").not_empty();
  s.add("telegram-token-file", token_file, "File whose first line is the bot's token.").is_a_path();
}

void add_webhook(section& s, webhook_config& x, std::string& secrets_file) {
  s.add("webhook-secrets-file", secrets_file,
        "File with a secret in each line: whsec_ and the base64 of 24 to 64 bytes. Each of them "
        "signs, so that receivers can move from an old one to a new one.")
      .is_a_path();
  s.add("webhook-allow-http", x.allow_http, "Endpoints without TLS too.");
  s.add("webhook-allow-private", x.allow_private,
        "Endpoints in private networks and on this machine too. Link-local addresses, where clouds "
        "keep credentials, stay forbidden.");
  s.add("webhook-allowed-networks", x.allowed_networks,
        "Networks that endpoints may be in although they are not public, e.g. [\"10.1.0.0/16\"].");
  s.add("webhook-retry-4xx", x.retry_refusals,
        "Refusals with a status of 400 to 499 are tried again like other failures; if not, most of "
        "them end the notification at once.");
}

void add_outbound_http(section& s, outbound_http_config& x) {
  s.add("http-ca-file", x.ca_file, "Certificates to trust (PEM). Empty: the system's.").is_a_path();
  s.add("http-connect-timeout", x.connect_timeout, "For the name, the connection and TLS, each.")
      .between(100ms, 10min);
  s.add("http-max-idle", x.max_idle,
        "An unused connection is closed after this; servers should keep it longer.")
      .between(0s, 1h);
}

} // namespace

void add_channel(option_list& out, const std::string& name, channel_config& channel,
                 channel_secret_files& files) {
  section s{out, "channel-" + name};
  s.add("provider", channel.provider,
        "Who delivers: \"smtp\", \"resend\", \"telegram\" or \"webhook\" (the options below that "
        "begin with that word; http- for all but smtp), or \"log\", a dry run that only writes a "
        "log line. Empty: the channel is off and its notifications wait.")
      .one_of({"", "log", "smtp", "resend", "telegram", "webhook"});
  s.add("slots", channel.slots, "Sends at the same time.").between(1, 10'000);
  s.add("prefetch", channel.prefetch, "Notifications claimed beyond the free slots.")
      .between(0, 100'000);
  s.add("concurrency", channel.concurrency,
        "Most sends on the wire at the same time. 0: as many as slots.")
      .between(0, 10'000);
  s.add("rate", channel.rate,
        "Most sends a second, by all processes on this database together. 0: no limit.")
      .between(0, 1'000'000);
  s.add("deadline", channel.deadline, "For one send, all of it.").between(100ms, 1h);
  add_breaker(s, channel.breaker);
  add_retry(s, channel.retry);
  add_smtp(s, channel.smtp, files.smtp_password);
  add_resend(s, channel.resend, files.resend_key);
  add_telegram(s, channel.telegram, files.telegram_token);
  add_webhook(s, channel.webhook, files.webhook_secrets);
  add_outbound_http(s, channel.http);
}

} // namespace notify

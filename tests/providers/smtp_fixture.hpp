#pragma once

#include "actors/providers/io_threads.hpp"
#include "actors/providers/smtp_provider.hpp"
#include "tests/support/scripted_smtp.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace notify::test {

/// `count` times `x`. Not inline: GCC 12 warns falsely about long strings that it sees being made.
std::string filled(size_t count, char x);

/// Settings for a relay on this machine, in plain text.
smtp_config plain_config(const scripted_smtp& relay);

/// The same under TLS, trusting that identity, by the name `localhost`.
smtp_config tls_config(const scripted_smtp& relay, smtp_security security,
                       const test_identity& trusted);

/// An ordinary mail; `key` becomes its Message-ID.
send_request a_mail(const std::string& key = "key-1");

/// A provider on I/O threads of its own.
class smtp_client {
public:
  explicit smtp_client(const smtp_config& config, size_t threads = 2, smtp_lookup look_up = {});
  ~smtp_client();

  std::future<outcome> start(send_request request);

  /// Sends and waits for the answer.
  outcome send(send_request request);
  outcome send() { return send(a_mail()); }

  smtp_provider& provider() { return *provider_; }
  smtp_pool_gauge gauge() const { return provider_->gauge(); }

private:
  io_threads io_;
  std::shared_ptr<smtp_provider> provider_;
};

/// That many mails at once, with the keys `key-0`, `key-1` and so on.
std::vector<std::future<outcome>> start_many(smtp_client& client, size_t count);

/// Sends message bytes as they are, past the message builder.
class raw_smtp_client {
public:
  explicit raw_smtp_client(const smtp_config& config);
  ~raw_smtp_client();

  std::future<outcome> start(std::string message, caf::timespan deadline = std::chrono::minutes{2});
  outcome send(std::string message);

  void stop() { pool_->stop(); }

  smtp_pool_gauge gauge() const { return pool_->gauge(); }

private:
  io_threads io_;
  std::shared_ptr<smtp_pool> pool_;
};

/// The answer, or a failure of the test if none comes.
outcome answer_of(std::future<outcome>& pending);

} // namespace notify::test

#pragma once

#include "actors/providers/http_provider.hpp"
#include "actors/providers/io_threads.hpp"
#include "tests/providers/http_samples.hpp"
#include "tests/support/scripted_http.hpp"

#include <caf/expected.hpp>

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace notify::test {

/// Makes a provider on a client.
using adapter_maker = std::function<caf::expected<provider_ptr>(http_client_ptr)>;

/// An adapter with its HTTP client and I/O threads of its own.
class adapter {
public:
  explicit adapter(const adapter_maker& make, http_client::address_filter filter = {},
                   host_resolver resolver = {});
  ~adapter();

  adapter(const adapter&) = delete;
  adapter& operator=(const adapter&) = delete;

  std::future<outcome> start(send_request request);

  /// Sends and waits for the answer; a failure of the test if none comes.
  outcome send(send_request request);

  provider& get() { return *provider_; }

private:
  io_threads io_;
  provider_ptr provider_;
};

/// The answer, or a failure of the test if none comes.
outcome answer_of(std::future<outcome>& pending);

/// Kind and reason, as one text to compare.
std::string summary(const outcome& x);

/// A server's script that gives these answers one after the other, each to one request on whatever
/// connection; the last one to all later requests.
http_script answering(std::vector<std::string> answers);

} // namespace notify::test

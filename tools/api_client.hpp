#pragma once

#include "http/client/http_client.hpp"
#include "tools/command_line.hpp"
#include "tools/notifyctl.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {
class io_threads;
}

namespace notify::ctl {

// What every command over HTTP has.
inline constexpr cli::option api_option{
    "api", "URL", "the service's HTTP port (default: NOTIFYCTL_API, or http://127.0.0.1:8080)", ""};
inline constexpr cli::option token_file_option{
    "token-file", "FILE", "its first line is the token (default: NOTIFYCTL_TOKEN)", ""};
inline constexpr cli::option ca_file_option{
    "ca-file", "FILE", "PEM bundle to trust for https, instead of the system's", ""};

/// Parameters of a query, in order, not yet encoded.
using api_query = std::vector<std::pair<std::string, std::string>>;

/// What came of a request.
struct api_answer {
  int status = 0; ///< 0: there was no answer.
  boost::json::value body;
  std::string problem; ///< What is wrong, for people; empty: nothing.

  bool ok() const { return problem.empty(); }
};

/// Asks the service's HTTP interface. Blocks. The token is in no message of it.
class api_client {
public:
  /// Reads the options above. `ec::invalid_config` says what is wrong with them, never their
  /// secrets. Warns at `io.err` if the token would travel in the clear.
  static caf::expected<std::unique_ptr<api_client>> open(const cli::arguments& from, streams io);

  ~api_client();

  api_client(const api_client&) = delete;
  api_client& operator=(const api_client&) = delete;

  /// `path` begins with a slash and may have a query, as a list's `next` does.
  api_answer get(const std::string& path, const api_query& query = {});

  api_answer post(const std::string& path, const boost::json::value& body = boost::json::object{});

private:
  api_client(std::string base, std::string token, std::chrono::seconds timeout);

  api_answer send(http_request request);

  std::string base_;
  std::string token_;
  std::chrono::seconds timeout_;
  std::unique_ptr<io_threads> io_;
  http_client_ptr client_;
};

/// A word as a part of a path.
std::string path_part(std::string_view word);

/// Tells what is wrong with an answer; the exit code.
int report(const api_answer& x, std::string_view path, streams io);

} // namespace notify::ctl

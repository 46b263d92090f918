#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a test or a person tells the fake provider to do, as plain data. `script_json.hpp` reads it.

namespace notify::fake {

enum class protocol : uint8_t { resend, telegram, webhook, smtp };

std::string_view to_string(protocol x);

/// Where in a connection a rule acts. HTTP knows the first and the last two.
enum class moment : uint8_t {
  connect, ///< Before anything is read; SMTP: in place of the greeting.
  ehlo,
  auth,
  mail,
  rcpt,
  data,    ///< In place of the 354.
  request, ///< The whole request or mail was read; nothing is accepted yet.
  record,  ///< It was accepted and recorded; its answer is due.
};

/// What a rule does.
enum class deed : uint8_t {
  answer,  ///< Says something else than usual.
  hold,    ///< Accepts, and answers only after a release.
  wait,    ///< Goes on only after a release.
  silence, ///< Says nothing until the client leaves.
  close,   ///< Ends the connection in order.
  reset,   ///< Ends it with a TCP reset.
};

using header_list = std::vector<std::pair<std::string, std::string>>;

struct http_answer {
  unsigned status = 200;
  header_list headers;
  std::string body;
};

struct action {
  deed what = deed::answer;
  moment at = moment::request;
  std::optional<http_answer> answer;  ///< HTTP: instead of the usual one.
  std::string reply;                  ///< SMTP: instead of the usual one; lines parted by '\n'.
  std::optional<bool> accept;         ///< Overrides what the answer's own status says.
  std::chrono::milliseconds delay{0}; ///< Before all else.
  std::chrono::milliseconds drip{0};  ///< Between two bytes of an HTTP answer's body; 0: at once.
};

/// Texts match if they are contained; empty ones match all.
struct match {
  std::vector<protocol> protocols; ///< Empty: any.
  std::string recipient;
  std::string path;
  std::string key;
  size_t nth = 0;     ///< The n-th that matches all else; 0: each.
  size_t attempt = 0; ///< The n-th under its key and recipient; 0: each.
};

struct rule {
  match when;
  size_t times = std::numeric_limits<size_t>::max(); ///< After that the next rule is asked.
  action then;
  size_t seen = 0; ///< How often all but `nth` and `times` matched.
  size_t used = 0;
};

/// What is known at some moment.
struct sighting {
  protocol via = protocol::webhook; ///< At `connect` on the HTTP port: any of the three.
  moment at = moment::request;
  std::string recipient;
  std::string path;
  std::string key;
  size_t attempt = 0; ///< Requests under this key and recipient, this one included; 0: not known.
};

/// The rules in their order; the first that matches acts.
class script {
public:
  void replace(std::vector<rule> rules) { rules_ = std::move(rules); }

  /// Counts the sighting and returns what is to be done; nothing: behave as usual. Rules for
  /// `record` are asked at `request`, since what is to come decides how to go on.
  std::optional<action> pick(const sighting& x);

  const std::vector<rule>& rules() const { return rules_; }

private:
  std::vector<rule> rules_;
};

/// Whether a message that gets this answer counts as accepted.
bool accepts(const action& x);

} // namespace notify::fake

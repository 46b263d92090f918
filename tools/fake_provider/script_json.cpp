#include "tools/fake_provider/script_json.hpp"

#include "tools/fake_provider/named_answers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <utility>

namespace notify::fake {

namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

constexpr uint64_t longest_wait_ms = 3'600'000;

template <class T>
using word_list = std::vector<std::pair<std::string_view, T>>;

/// Two names for one moment where the protocols have their own words for it.
const word_list<moment> moments = {{"connect", moment::connect}, {"greeting", moment::connect},
                                   {"ehlo", moment::ehlo},       {"auth", moment::auth},
                                   {"mail", moment::mail},       {"rcpt", moment::rcpt},
                                   {"data", moment::data},       {"request", moment::request},
                                   {"dot", moment::request},     {"record", moment::record}};

const word_list<deed> deeds = {{"answer", deed::answer}, {"hold", deed::hold},
                               {"wait", deed::wait},     {"silence", deed::silence},
                               {"close", deed::close},   {"reset", deed::reset}};

template <class Range>
std::string join(const Range& words) {
  std::string result;
  for (const auto& x : words)
    result += (result.empty() ? "" : ", ") + std::string{x};
  return result;
}

/// One JSON object, member by member, with its place for messages.
class reader {
public:
  reader(const json::value& from, std::string place) : place_(std::move(place)) {
    if (!from.is_object())
      fail("must be an object");
    object_ = &from.as_object();
  }

  [[noreturn]] void fail(const std::string& what) const { throw script_error(place_ + ' ' + what); }

  [[noreturn]] void fail(std::string_view name, const std::string& what) const {
    throw script_error(place_ + '.' + std::string{name} + ' ' + what);
  }

  void allow_only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : *object_)
      if (std::find(known.begin(), known.end(), std::string_view{key}) == known.end())
        fail("has no member \"" + std::string{key} + "\", only " + join(known));
  }

  const json::value* find(std::string_view name) const { return object_->if_contains(name); }

  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string text(std::string_view name) const {
    const auto* x = find(name);
    if (x == nullptr)
      return {};
    if (!x->is_string())
      fail(name, "must be a text");
    return std::string{x->as_string()};
  }

  uint64_t number(std::string_view name, uint64_t lowest, uint64_t highest,
                  uint64_t fallback) const {
    const auto* x = find(name);
    if (x == nullptr)
      return fallback;
    boost::system::error_code failed;
    auto value = x->to_number<uint64_t>(failed);
    if (!x->is_number() || failed || value < lowest || value > highest)
      fail(name, "must be a whole number from " + std::to_string(lowest) + " to "
                     + std::to_string(highest));
    return value;
  }

  template <class T>
  T word(std::string_view name, const word_list<T>& known) const {
    auto given = text(name);
    std::string names;
    for (const auto& [word, value] : known) {
      if (word == given)
        return value;
      names += (names.empty() ? "" : ", ") + std::string{word};
    }
    fail(name, "must be one of " + names + ", not \"" + given + '"');
  }

  const std::string& place() const { return place_; }

private:
  const json::object* object_ = nullptr;
  std::string place_;
};

match read_match(const reader& from) {
  using list = std::vector<protocol>;
  from.allow_only({"protocol", "recipient", "path", "key", "nth", "attempt"});
  match result;
  if (from.has("protocol"))
    result.protocols = from.word<list>(
        "protocol", {{"resend", {protocol::resend}},
                     {"telegram", {protocol::telegram}},
                     {"webhook", {protocol::webhook}},
                     {"smtp", {protocol::smtp}},
                     {"http", {protocol::resend, protocol::telegram, protocol::webhook}}});
  result.recipient = from.text("recipient");
  result.path = from.text("path");
  result.key = from.text("key");
  result.nth = from.number("nth", 1, 1'000'000'000, 0);
  result.attempt = from.number("attempt", 1, 1'000'000'000, 0);
  return result;
}

header_list read_headers(const reader& from) {
  header_list result;
  const auto* x = from.find("headers");
  if (x == nullptr)
    return result;
  if (!x->is_object())
    from.fail("headers", "must be an object");
  for (const auto& [name, value] : x->as_object()) {
    if (!value.is_string())
      from.fail("headers", "must have texts as values");
    result.emplace_back(name, value.as_string());
  }
  return result;
}

/// The answer that is spelt out, on top of a named one.
void read_answer(const reader& from, action& into) {
  if (!from.has("status") && !from.has("headers") && !from.has("body"))
    return;
  auto answer = into.answer.value_or(http_answer{});
  answer.status = static_cast<unsigned>(from.number("status", 100, 999, answer.status));
  for (auto& x : read_headers(from))
    answer.headers.push_back(std::move(x));
  if (const auto* body = from.find("body"))
    // Anything but a text is meant as JSON.
    answer.body = body->is_string() ? std::string{body->as_string()} : json::serialize(*body);
  into.answer = std::move(answer);
}

std::string read_reply(const reader& from) {
  auto result = from.text("reply");
  auto code = result.substr(0, 3);
  if (code.size() < 3 || !std::all_of(code.begin(), code.end(), [](unsigned char c) {
        return std::isdigit(c) != 0;
      }))
    from.fail("reply", "must begin with a code of three digits");
  return result;
}

/// The named answer, if there is one; it tells whose requests it is for.
action read_named(const reader& from, match& when) {
  auto retry_after = static_cast<unsigned>(from.number("retry_after", 0, 1'000'000'000, 1));
  if (!from.has("named")) {
    if (from.has("retry_after"))
      from.fail("retry_after", "goes with a named answer; else write it into headers or body");
    return {};
  }
  auto name = from.text("named");
  auto result = named_answer(name, retry_after);
  if (!result)
    from.fail("named", "must be one of " + join(answer_names()) + ", not \"" + name + '"');
  if (when.protocols.empty())
    when.protocols = {result->via};
  return std::move(result->then);
}

moment usual_moment(deed what, moment fallback) {
  return what == deed::hold || what == deed::silence ? moment::record : fallback;
}

std::optional<bool> read_accept(const reader& from, deed what) {
  const auto* x = from.find("accept");
  if (x == nullptr)
    return std::nullopt;
  if (!x->is_bool())
    from.fail("accept", "must be true or false");
  if (what != deed::answer && what != deed::wait)
    from.fail("accept", "goes with answer and wait only; \"at\": \"record\" is what accepts first");
  return x->as_bool();
}

action read_action(const reader& from, match& when) {
  from.allow_only({"do", "at", "named", "retry_after", "status", "headers", "body", "reply",
                   "accept", "delay_ms", "drip_ms"});
  auto result = read_named(from, when);
  if (from.has("do"))
    result.what = from.word("do", deeds);
  result.at = usual_moment(result.what, result.at);
  if (from.has("at"))
    result.at = from.word("at", moments);
  if (result.what == deed::hold && result.at != moment::record)
    from.fail("at", "is always record with hold; wait is what stops before that");
  read_answer(from, result);
  if (from.has("reply"))
    result.reply = read_reply(from);
  result.accept = read_accept(from, result.what);
  result.delay = milliseconds{from.number("delay_ms", 0, longest_wait_ms, 0)};
  result.drip = milliseconds{from.number("drip_ms", 0, longest_wait_ms, 0)};
  return result;
}

/// An HTTP answer is not for mails, nor a reply for requests: a rule that names no protocol means
/// the one that it can talk to.
void narrow(const reader& from, rule& x) {
  static const std::vector<protocol> http{protocol::resend, protocol::telegram, protocol::webhook};
  static const std::vector<protocol> smtp{protocol::smtp};
  auto at = x.then.at;
  auto is_smtp = !x.then.reply.empty() || (at > moment::connect && at < moment::request);
  auto is_http = x.then.answer.has_value() || x.then.drip.count() != 0;
  if (is_smtp && is_http)
    from.fail("mixes what is for HTTP with what is for SMTP");
  if (!is_smtp && !is_http)
    return;
  auto& protocols = x.when.protocols;
  if (protocols.empty())
    protocols = is_smtp ? smtp : http;
  if ((protocols == smtp) != is_smtp)
    from.fail("does something that the protocol it matches does not have");
}

/// Before the request was read, neither its recipient nor its key is known.
void check_match(const reader& from, const rule& x) {
  auto refuse_if = [&](bool asked, const char* name) {
    if (asked)
      from.fail(std::string{"asks for a "} + name + ", which is not known yet at that moment");
  };
  auto at = x.then.at;
  auto is_read = at == moment::request || at == moment::record;
  refuse_if(!is_read && !x.when.key.empty(), "key");
  refuse_if(!is_read && x.when.attempt != 0, "attempt");
  refuse_if(!is_read && !x.when.path.empty(), "path");
  refuse_if(at < moment::rcpt && !x.when.recipient.empty(), "recipient");
  if (at == moment::connect && !x.when.protocols.empty() && x.when.protocols.size() == 1
      && x.when.protocols.front() != protocol::smtp)
    from.fail("names a protocol, of which only \"http\" or \"smtp\" is known at connect");
}

rule read_rule(const json::value& value, const std::string& place) {
  reader from{value, place};
  from.allow_only({"match", "times", "action"});
  rule result;
  if (const auto* x = from.find("match"))
    result.when = read_match({*x, place + ".match"});
  result.times = from.number("times", 1, 1'000'000'000, result.times);
  const auto* then = from.find("action");
  if (then == nullptr)
    from.fail("needs an action");
  result.then = read_action({*then, place + ".action"}, result.when);
  narrow(from, result);
  check_match(from, result);
  return result;
}

} // namespace

std::vector<rule> read_script(std::string_view text) {
  boost::system::error_code failed;
  auto value = json::parse({text.data(), text.size()}, failed);
  if (failed)
    throw script_error("the script is not JSON: " + failed.message());
  if (!value.is_array())
    throw script_error("the script must be a list of rules");
  std::vector<rule> result;
  for (const auto& x : value.as_array())
    result.push_back(read_rule(x, "rule " + std::to_string(result.size() + 1)));
  return result;
}

json::array rule_counts(const script& from) {
  json::array result;
  for (const auto& x : from.rules()) {
    json::object line;
    line["seen"] = x.seen;
    line["used"] = x.used;
    result.push_back(std::move(line));
  }
  return result;
}

} // namespace notify::fake

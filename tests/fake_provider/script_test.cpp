#include "tools/fake_provider/named_answers.hpp"
#include "tools/fake_provider/script_json.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

namespace notify::fake {
namespace {

script script_of(std::string_view json) {
  script result;
  result.replace(read_script(json));
  return result;
}

sighting mail_to(const std::string& recipient, const std::string& key = "k", size_t attempt = 1) {
  return {protocol::smtp, moment::request, recipient, "", key, attempt};
}

std::string complaint_about(std::string_view json) {
  try {
    read_script(json);
  } catch (const script_error& x) {
    return x.what();
  }
  return {};
}

TEST_CASE("the first rule that matches acts") {
  auto x = script_of(R"([
    {"match": {"recipient": "anna"}, "action": {"reply": "451 later"}},
    {"action": {"reply": "550 no"}}])");
  CHECK(x.pick(mail_to("anna@example.com"))->reply == "451 later");
  CHECK(x.pick(mail_to("bert@example.com"))->reply == "550 no");
}

TEST_CASE("without a rule that matches there is nothing to do") {
  auto x = script_of(R"([{"match": {"key": "other"}, "action": {"do": "hold"}}])");
  CHECK_FALSE(x.pick(mail_to("anna@example.com")));
  CHECK_FALSE(script_of("[]").pick(mail_to("anna@example.com")));
}

TEST_CASE("a rule that was used up leaves the word to the next") {
  auto x = script_of(R"([
    {"times": 2, "action": {"reply": "451 later"}},
    {"action": {"reply": "550 no"}}])");
  CHECK(x.pick(mail_to("a"))->reply == "451 later");
  CHECK(x.pick(mail_to("a"))->reply == "451 later");
  CHECK(x.pick(mail_to("a"))->reply == "550 no");
}

TEST_CASE("nth picks one of those that match all else") {
  auto x = script_of(R"([{"match": {"recipient": "anna", "nth": 2}, "action": {"do": "hold"}}])");
  CHECK_FALSE(x.pick(mail_to("anna")));
  CHECK_FALSE(x.pick(mail_to("bert")));
  CHECK(x.pick(mail_to("anna")));
  CHECK_FALSE(x.pick(mail_to("anna")));
}

TEST_CASE("attempt picks the n-th request of each key") {
  auto x = script_of(R"([{"match": {"attempt": 1}, "action": {"do": "hold"}}])");
  CHECK(x.pick(mail_to("anna", "k1", 1)));
  CHECK_FALSE(x.pick(mail_to("anna", "k1", 2)));
  CHECK(x.pick(mail_to("anna", "k2", 1)));
}

TEST_CASE("a rule acts at its own moment only") {
  auto x = script_of(R"([{"action": {"at": "rcpt", "reply": "550 no"}}])");
  CHECK_FALSE(x.pick(mail_to("anna")));
  CHECK(x.pick({protocol::smtp, moment::rcpt, "anna", "", "", 0}));
}

TEST_CASE("an answer for one kind of protocol is not given to another") {
  auto x = script_of(R"([{"action": {"status": 500}}])");
  CHECK_FALSE(x.pick(mail_to("anna")));
  for (auto via : {protocol::resend, protocol::telegram, protocol::webhook})
    CHECK(x.pick({via, moment::request, "anna", "", "", 1}));
  auto y = script_of(R"([{"action": {"named": "telegram_429"}}])");
  CHECK_FALSE(y.pick({protocol::resend, moment::request, "anna", "", "", 1}));
  CHECK(y.pick({protocol::telegram, moment::request, "anna", "", "", 1}));
}

TEST_CASE("what is accepted follows from the answer unless the rule says otherwise") {
  auto accepts_with = [](const std::string& then) {
    return accepts(read_script(R"([{"action": )" + then + "}]").front().then);
  };
  CHECK(accepts_with(R"({"delay_ms": 5})"));
  CHECK(accepts_with(R"({"status": 202})"));
  CHECK_FALSE(accepts_with(R"({"status": 500})"));
  CHECK(accepts_with(R"({"status": 500, "accept": true})"));
  CHECK_FALSE(accepts_with(R"({"status": 200, "accept": false})"));
  CHECK_FALSE(accepts_with(R"({"reply": "451 later"})"));
  CHECK_FALSE(accepts_with(R"({"do": "close"})"));
  CHECK(accepts_with(R"({"do": "close", "at": "record"})"));
  CHECK(accepts_with(R"({"do": "silence"})"));
  CHECK(accepts_with(R"({"do": "hold"})"));
  CHECK(accepts_with(R"({"do": "wait"})"));
}

TEST_CASE("a script that cannot be read is refused with the place and what is possible") {
  CHECK(complaint_about("{") == "the script is not JSON: incomplete JSON");
  CHECK(complaint_about("{}") == "the script must be a list of rules");
  CHECK(complaint_about("[{}]") == "rule 1 needs an action");
  CHECK(
      complaint_about(R"([{"action": {}}, {"action": {"do": "hld"}}])")
      == R"(rule 2.action.do must be one of answer, hold, wait, silence, close, reset, not "hld")");
  CHECK(complaint_about(R"([{"action": {"stats": 500}}])").find(R"(has no member "stats")")
        != std::string::npos);
  CHECK(complaint_about(R"([{"action": {"status": 5000}}])")
        == "rule 1.action.status must be a whole number from 100 to 999");
  CHECK(complaint_about(R"([{"match": {"nth": 0}, "action": {}}])").find("rule 1.match.nth") == 0);
  CHECK(complaint_about(R"([{"action": {"reply": "no"}}])")
        == "rule 1.action.reply must begin with a code of three digits");
  CHECK(complaint_about(R"([{"action": {"named": "teleram_429"}}])").find("telegram_429")
        != std::string::npos);
}

TEST_CASE("a rule that could never act as written is refused") {
  for (const auto* text : {
           R"([{"match": {"key": "k"}, "action": {"do": "close", "at": "rcpt"}}])",
           R"([{"match": {"recipient": "a"}, "action": {"do": "close", "at": "greeting"}}])",
           R"([{"match": {"protocol": "resend"}, "action": {"do": "close", "at": "connect"}}])",
           R"([{"match": {"protocol": "smtp"}, "action": {"status": 500}}])",
           R"([{"match": {"protocol": "http"}, "action": {"reply": "451 later"}}])",
           R"([{"match": {"protocol": "http"}, "action": {"do": "close", "at": "ehlo"}}])",
           R"([{"action": {"status": 500, "reply": "451 later"}}])",
           R"([{"action": {"do": "hold", "at": "request"}}])",
           R"([{"action": {"do": "close", "accept": true}}])",
           R"([{"action": {"retry_after": 5}}])",
       }) {
    INFO(text);
    CHECK(complaint_about(text).starts_with("rule 1"));
  }
}

std::string documentation() {
  std::ifstream file{NOTIFY_SOURCE_FOLDER "/docs/fake-provider.md"};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("every named answer can be used and stands in the documentation") {
  auto text = documentation();
  for (const auto& name : answer_names()) {
    INFO(name);
    CHECK(complaint_about(R"([{"action": {"named": ")" + name + R"("}}])").empty());
    CHECK(text.find('`' + name + '`') != std::string::npos);
  }
}

TEST_CASE("every script of the documentation can be read") {
  auto text = documentation();
  const std::string begin = "script '[";
  size_t count = 0;
  for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    auto from = at + begin.size() - 1;
    auto one = text.substr(from, text.find('\'', from) - from);
    INFO(one);
    CHECK(complaint_about(one).empty());
    ++count;
  }
  CHECK(count > 5);
}

} // namespace
} // namespace notify::fake

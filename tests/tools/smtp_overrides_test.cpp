#include "tests/tools/settings_fixture.hpp"
#include "tools/reference.hpp"
#include "tools/smtp_override_text.hpp"

#include <chrono>

// Rules for relays that word their refusals otherwise: what may be said, and the exact words about
// what may not.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::settings_fixture;
using kind = outcome_kind;

struct good_rule {
  std::string text;
  smtp_override rule;
  std::string shown; ///< Empty: as written.
};

const std::vector<good_rule> good_rules = {
    {R"(550 "too many emails per second" retry_after 5s)",
     {550, "", "too many emails per second", kind::retry_after, 5s},
     "550 'too many emails per second' retry_after 5s"},
    {"550 5.7. 'slow down' retry", {550, "5.7.", "slow down", kind::retry, 0s}, ""},
    {"552 5.2.2 retry_after 90min", {552, "5.2.2", "", kind::retry_after, 90min}, ""},
    {"554 hold", {554, "", "", kind::hold, 0s}, ""},
    {"* 'mailbox gone' permanent", {0, "", "mailbox gone", kind::permanent, 0s}, ""},
    {"* 4.2 permanent", {0, "4.2", "", kind::permanent, 0s}, ""},
    {"* 5. hold", {0, "5.", "", kind::hold, 0s}, ""},
    {"451 4.7.500 retry", {451, "4.7.500", "", kind::retry, 0s}, ""},
    {"  599\t'a'   retry_after\t500ms ",
     {599, "", "a", kind::retry_after, 500ms},
     "599 'a' retry_after 500ms"},
    {R"(400 "it's full" retry)", {400, "", "it's full", kind::retry, 0s}, ""},
    {R"(400 'say "no"' retry)", {400, "", R"(say "no")", kind::retry, 0s}, ""},
    {"550 'retry hold 5s' hold", {550, "", "retry hold 5s", kind::hold, 0s}, ""},
};

TEST_CASE("a rule for a relay is read part by part, and shown as it can be read again") {
  for (const auto& x : good_rules) {
    INFO(x.text);
    smtp_override rule;
    CHECK_FALSE(read_smtp_override(x.text, rule));
    CHECK(rule.code == x.rule.code);
    CHECK(rule.enhanced == x.rule.enhanced);
    CHECK(rule.text == x.rule.text);
    CHECK(rule.kind == x.rule.kind);
    CHECK(rule.wait == x.rule.wait);
    auto shown = smtp_override_text(rule);
    CHECK(shown == (x.shown.empty() ? x.text : x.shown));
    smtp_override again;
    CHECK_FALSE(read_smtp_override(shown, again));
    CHECK(smtp_override_text(again) == shown);
  }
}

struct bad_rule {
  std::string text;
  std::string refusal; ///< Behind the rule.
};

const std::vector<bad_rule> bad_rules = {
    {"", "which must begin with a reply code from 400 to 599 or *, not \"\""},
    {"retry", "which must begin with a reply code from 400 to 599 or *, not \"retry\""},
    {"250 retry", "which must begin with a reply code from 400 to 599 or *, not \"250\""},
    {"600 retry", "which must begin with a reply code from 400 to 599 or *, not \"600\""},
    {"5500 retry", "which must begin with a reply code from 400 to 599 or *, not \"5500\""},
    {"-50 retry", "which must begin with a reply code from 400 to 599 or *, not \"-50\""},
    {"5.7. retry", "which must begin with a reply code from 400 to 599 or *, not \"5.7.\""},
    {"550'a' retry", "which must begin with a reply code from 400 to 599 or *, not \"550'a'\""},
    {"550 2.0.0 retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"2.0.0\""},
    {"550 5 retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5\""},
    {"550 5..1 retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5..1\""},
    {"550 5.7.1.2 retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5.7.1.2\""},
    {"550 5.7.1. retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5.7.1.\""},
    {"550 5.1234 retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5.1234\""},
    {"550 5.x retry", "whose enhanced code must look like 5.7. or 4.2.2, not \"5.x\""},
    {"550 'a retry", "whose quote is not closed"},
    {"550 ' retry", "whose quote is not closed"},
    {"550 '' retry", "whose text is empty; leave it out to match any"},
    {"550 'a'retry", "which needs a blank behind its text"},
    {"550", "which does not say what to do: retry, retry_after, permanent or hold"},
    {"550 'a'", "which does not say what to do: retry, retry_after, permanent or hold"},
    {"550 a retry", "which must say retry, retry_after, permanent or hold, not \"a\""},
    {"550 retyr",
     "which must say retry, retry_after, permanent or hold, not \"retyr\", did you mean retry?"},
    {"550 sent", "which must say retry, retry_after, permanent or hold, not \"sent\""},
    {"550 unknown", "which must say retry, retry_after, permanent or hold, not \"unknown\""},
    {"550 interrupted",
     "which must say retry, retry_after, permanent or hold, not \"interrupted\""},
    {"550 retry_after", "which needs a wait behind retry_after, such as 5s"},
    {"550 retry_after 5", "whose wait must be a duration up to 168h such as 5s, not \"5\""},
    {"550 retry_after 0s", "whose wait must be a duration up to 168h such as 5s, not \"0s\""},
    {"550 retry_after -5s", "whose wait must be a duration up to 168h such as 5s, not \"-5s\""},
    {"550 retry_after 169h", "whose wait must be a duration up to 168h such as 5s, not \"169h\""},
    {"550 retry_after 9999999999h",
     "whose wait must be a duration up to 168h such as 5s, not \"9999999999h\""},
    {"550 retry_after soon", "whose wait must be a duration up to 168h such as 5s, not \"soon\""},
    {"550 retry 5s", "which has \"5s\" behind retry; only retry_after takes a wait"},
    {"550 permanent 'a'", "which has \"'a'\" behind permanent; only retry_after takes a wait"},
    {"550 retry_after 5s 6s", "which should end before \"6s\""},
    {"* retry", "which would match every refusal; name a code, an enhanced code or a text"},
};

TEST_CASE("a rule for a relay that cannot be meant is refused in words") {
  for (const auto& x : bad_rules) {
    INFO(x.text);
    smtp_override rule;
    rule.code = 777;
    auto wrong = read_smtp_override(x.text, rule);
    REQUIRE(wrong);
    CHECK(*wrong == "has the rule \"" + x.text + "\", " + x.refusal);
    CHECK(rule.code == 777);
  }
}

TEST_CASE_METHOD(settings_fixture, "rules for a relay come from the file, in its order") {
  auto config = good("[channel-email]\nprovider=\"smtp\"\n"
                     "smtp-overrides=[\"550 \\\"too many emails per second\\\" retry_after 5s\",\n"
                     "  \"554 5.7. 'not now, please' retry\"]\n");
  const auto& rules = config->service().channels.at("email").smtp.overrides;
  REQUIRE(rules.size() == 2);
  CHECK(smtp_override_text(rules[0]) == "550 'too many emails per second' retry_after 5s");
  CHECK(smtp_override_text(rules[1]) == "554 5.7. 'not now, please' retry");
  auto text = config->dump();
  CHECK(text.find("smtp-overrides=[\"550 'too many emails per second' retry_after 5s\", "
                  "\"554 5.7. 'not now, please' retry\"]\n")
        != std::string::npos);
  CHECK(good(text)->dump() == text);
}

TEST_CASE_METHOD(settings_fixture, "rules for a relay come from the command line too") {
  auto config = good("[channel-email]\nprovider=\"smtp\"\n",
                     {"--channel-email.smtp-overrides=550 'slow down' retry,* 5.7. hold"});
  const auto& rules = config->service().channels.at("email").smtp.overrides;
  REQUIRE(rules.size() == 2);
  CHECK(smtp_override_text(rules[0]) == "550 'slow down' retry");
  CHECK(smtp_override_text(rules[1]) == "* 5.7. hold");
}

TEST_CASE_METHOD(settings_fixture,
                 "a bad rule for a relay is refused with its place, and no other") {
  CHECK(refusal("[channel-email]\nsmtp-overrides=[\"550 hold\", \"550 hodl\"]\n")
        == "notifyd.ini:2: channel-email.smtp-overrides has the rule \"550 hodl\", which must say "
           "retry, retry_after, permanent or hold, not \"hodl\", did you mean hold?");
  CHECK(refusal("[channel-email]\nsmtp-overrides=[\"550 hold\", \"550 hold\"]\n")
        == "notifyd.ini:2: channel-email.smtp-overrides has \"550 hold\" twice");
  CHECK(refusal("[channel-email]\nsmtp-overrides=\"550 hold\"\n")
        == "notifyd.ini:2: channel-email.smtp-overrides expects a list of texts such as [\"a\", "
           "\"b\"], not the text \"550 hold\"");
  CHECK(refusal("[channel-email]\nsmtp-overrides=[550]\n")
            .starts_with("notifyd.ini:2: channel-email.smtp-overrides expects a list of texts"));
}

TEST_CASE("the reference lists the rules for relays, none by default") {
  static setting_values values;
  auto options = make_options(values);
  CHECK(options_text(options).find("channel-email.smtp-overrides=[]  ; list of texts\n")
        != std::string::npos);
  CHECK(help_text(options).find("retry_after 5s") != std::string::npos);
}

TEST_CASE_METHOD(settings_fixture, "more slots than connections to the relay are refused") {
  CHECK(
      refusal("[channel-email]\nprovider=\"smtp\"\nslots=17\n")
      == "channel-email.slots (17) must not exceed channel-email.smtp-max-connections (16): mails "
         "would wait for a connection with their time running");
  CHECK(refusal("[channel-webhook]\nprovider=\"smtp\"\nslots=2\nsmtp-max-connections=1\n")
        == "channel-webhook.slots (2) must not exceed channel-webhook.smtp-max-connections (1): "
           "mails would wait for a connection with their time running");
  good("[channel-email]\nprovider=\"smtp\"\nslots=16\n");
  good("[channel-email]\nprovider=\"smtp\"\nslots=64\nsmtp-max-connections=64\n");
  good("[channel-email]\nprovider=\"log\"\nslots=64\n");
}

} // namespace
} // namespace notify

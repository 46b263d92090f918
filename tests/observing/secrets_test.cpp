#include "actors/providers/base64.hpp"
#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/otlp_receiver.hpp"
#include "tests/support/scripted_smtp.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"
#include "tools/fake_provider/provider.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

// Everything that must not be in a log, as words that nothing else holds, through everything that a
// process can say at its most talkative level.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto open_jobs =
    "select count(*) from notify.notifications where status not in ('sent', 'dead')";

/// Words of events: who gets a message and what it says.
const std::vector<std::string> private_words{"privaterecipient", "55512345678", "privatepath",
                                             "privatename", "privatevalue"};

class secrets_fixture {
public:
  secrets_fixture() {
    put("postgres", "pgsecretword");
    put("smtp", "smtpsecretword");
    put("sasl", "saslsecretword");
    put("resend", "re_resendsecretword");
    put("telegram", "4242:telegramsecretword");
    put("webhook", "whsec_" + base64("webhooksecretwordwebhooksecretword"));
    put("tracing", "tracingsecretword");
    folder.write("headers", "Authorization: Bearer tracingsecretword\n");
    folder.write("routes.json", R"({"routes":[
      {"event_type":"order.paid.v1","channel":"email","recipient":"email",
       "template":"order-paid.v1"},
      {"event_type":"order.paid.v1","channel":"telegram","recipient":"chat",
       "template":"order-paid-telegram.v1"},
      {"event_type":"order.paid.v1","channel":"webhook","recipient":"hook",
       "template":"order-paid-telegram.v1"}]})");
    pipeline.db.query("create role " + role + " superuser login password 'pgsecretword'");
  }

  ~secrets_fixture() { pipeline.db.query("drop role " + role); }

  /// Settings with every secret that there is; mail by this provider.
  std::vector<std::string> arguments(const std::string& instance, const std::string& mail) const {
    auto words = pipeline.arguments(instance);
    auto drop = [&](const std::string& prefix) {
      std::erase_if(words, [&](const auto& x) { return x.starts_with(prefix); });
    };
    for (const auto* prefix : {"--service.routes-file=", "--postgres.url=", "--channel-email."})
      drop(prefix);
    auto http = "http://127.0.0.1:" + std::to_string(provider.http_port());
    for (const auto& x : std::vector<std::string>{
             "--service.routes-file=" + file("routes.json"),
             "--logging.level=debug",
             "--postgres.url=" + url_as_role(),
             "--postgres.password-file=" + file("postgres"),
             "--kafka.sasl-password-file=" + file("sasl"),
             "--kafka.properties=[\"sasl.username=someone\"]",
             "--channel-email.provider=" + mail,
             "--channel-email.smtp-security=none",
             "--channel-email.smtp-port=" + std::to_string(provider.smtp_port()),
             "--channel-email.smtp-password-file=" + file("smtp"),
             "--channel-email.smtp-from-address=shop@example.com",
             "--channel-email.resend-api-url=" + http,
             "--channel-email.resend-key-file=" + file("resend"),
             "--channel-email.resend-from=shop@example.com",
             "--channel-telegram.provider=telegram",
             "--channel-telegram.telegram-api-url=" + http,
             "--channel-telegram.telegram-token-file=" + file("telegram"),
             "--channel-webhook.provider=webhook",
             "--channel-webhook.webhook-allow-http=true",
             "--channel-webhook.webhook-allow-private=true",
             "--channel-webhook.webhook-secrets-file=" + file("webhook"),
             "--tracing.endpoint=" + collector.endpoint(),
             "--tracing.headers-file=" + file("headers"),
             "--logging.repeat-interval=0s",
             "--ingest.breaker=false",
             "--kafka.commit-interval=100ms"})
      words.push_back(x);
    for (const auto* channel : {"email", "telegram", "webhook"})
      for (const auto* policy :
           {"retry-base=50ms", "retry-factor=1", "retry-attempts=3", "breaker-failures=0",
            "retry-unknown-delay=50ms", "retry-max-wait=1s", "retry-hold-delay=1s",
            "breaker-wait=100ms", "deadline=2s"})
        words.push_back(std::string{"--channel-"} + channel + "." + policy);
    return words;
  }

  /// An event whose every word is private.
  kafka::outgoing_record event(const std::string& mail_to) {
    boost::json::object payload{
        {"email", mail_to},
        {"chat", "55512345678"},
        {"hook", "http://127.0.0.1:" + std::to_string(provider.http_port())
                     + "/privatepath?token=privatevalue"},
        {"buyer_name", "privatename"},
        {"order_id", "privatevalue"},
        {"total_amount", 998000},
        {"currency", "RUB"},
        {"paid_at", "2026-09-01T16:00:00Z"},
        {"items", boost::json::array{}},
    };
    boost::json::object envelope{{"event_id", to_string(uuid::random())},
                                 {"event_type", "order.paid.v1"},
                                 {"occurred_at", "2026-09-01T16:00:00Z"},
                                 {"producer", "order-service"},
                                 {"aggregate_id", "order-1"},
                                 {"correlation_id", "corr-1"},
                                 {"payload", payload}};
    kafka::outgoing_record result;
    result.value = {true, boost::json::serialize(envelope)};
    return result;
  }

  void publish_bad_ones() {
    auto broken = event("privaterecipient@example.com");
    broken.value.bytes.resize(broken.value.bytes.size() - 20);
    auto text = kafka::outgoing_record{};
    text.value = {true, "privatevalue is not JSON"};
    pipeline.publish({broken, text, event("privaterecipient is no address"),
                      event("privaterecipient\r\nBcc: x@example.com")});
  }

  /// Waits until so many records were read, and no notification is open.
  void settle(int64_t records) {
    CHECK(eventually([&] { return pipeline.committed_records() == records; }));
    pipeline.require_value(open_jobs, "0");
  }

  void check(const daemon& program) const {
    auto output = program.output();
    CHECK_FALSE(output.empty());
    for (const auto& [name, secret] : secrets) {
      CAPTURE(name);
      check_absent(output, secret);
    }
    for (const auto& word : private_words)
      check_absent(output, word);
  }

  std::string file(const std::string& name) const { return (folder.path() / name).string(); }

  /// The fixture's database for a user with a password, which stands elsewhere.
  std::string url_as_role() const {
    auto url = pipeline.db.url();
    auto scheme = url.find("://") + 3;
    auto host = url.find('@') == std::string::npos ? scheme : url.find('@') + 1;
    return url.substr(0, scheme) + role + "@" + url.substr(host);
  }

  pipeline_fixture pipeline{1};
  temp_folder folder;
  fake::provider provider{{}};
  otlp_receiver collector;
  std::map<std::string, std::string> secrets;

private:
  void put(const std::string& name, const std::string& secret) {
    folder.write(name, secret + "\n");
    secrets[name] = secret;
  }

  /// The line that has it is what a person needs to see.
  static void check_absent(const std::string& output, const std::string& word) {
    auto at = output.find(word);
    auto begin = at == std::string::npos ? 0 : output.rfind('\n', at) + 1;
    auto line = at == std::string::npos ? "" : output.substr(begin, output.find('\n', at) - begin);
    CAPTURE(word);
    CHECK(line == "");
  }

  std::string role = "secrets_" + std::to_string(getpid());
};

TEST_CASE("D-E8: no secret and no word of an event is in any log, whatever goes well or wrong") {
  secrets_fixture fixture;
  daemon program{"notifyd", fixture.arguments("one", "smtp")};
  fixture.pipeline.publish({fixture.event("privaterecipient@example.com")});
  fixture.settle(1);
  // What providers say may repeat what they were told.
  fixture.provider.set_script(R"([
    {"match": {"protocol": "smtp"}, "times": 1, "action": {"at": "mail", "named": "smtp_later"}},
    {"match": {"protocol": "smtp"}, "times": 1, "action": {"at": "rcpt",
      "reply": "451 4.2.1 privaterecipient@example.com is busy"}},
    {"match": {"protocol": "smtp"}, "action": {"at": "dot",
      "reply": "554 5.7.1 privatename privatevalue smtpsecretword"}},
    {"match": {"protocol": "telegram"}, "times": 1, "action": {"named": "telegram_429",
      "retry_after": 1}},
    {"match": {"protocol": "telegram"}, "action": {"status": 400,
      "body": {"ok": false, "error_code": 400, "description": "55512345678 privatename"}}},
    {"match": {"protocol": "webhook"}, "times": 1, "action": {"do": "reset"}},
    {"match": {"protocol": "webhook"}, "action": {"status": 500,
      "body": "privatevalue whsec_privatename"}}])");
  fixture.pipeline.publish({fixture.event("privaterecipient@example.com")});
  fixture.publish_bad_ones();
  fixture.pipeline.require_value("select count(*) >= 2 from notify.dead_letters", "t");
  fixture.settle(6);
  // The database goes away for a moment, and the settings are read again.
  fixture.pipeline.db.query("select pg_terminate_backend(pid) from pg_stat_activity"
                            " where datname = current_database() and pid <> pg_backend_pid()");
  program.signal(SIGHUP);
  CHECK(
      eventually([&] { return program.output().find("settings reloaded") != std::string::npos; }));
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  fixture.check(program);
  // The words did go where they belong: the test looks for the right ones.
  CHECK(fixture.collector.requests().front().header("Authorization") == "Bearer tracingsecretword");
  for (const auto& x : fixture.collector.requests())
    for (const auto& word : private_words)
      CHECK(x.body.find(word) == std::string::npos);
}

TEST_CASE("D-E8: no secret is in the log when a provider refuses it") {
  secrets_fixture fixture;
  fixture.provider.set_script(R"([
    {"match": {"protocol": "resend"}, "times": 2, "action": {"named": "resend_invalid_key"}},
    {"match": {"protocol": "resend"}, "times": 1, "action": {"status": 422,
      "body": {"name": "validation_error", "message": "privaterecipient re_resendsecretword"}}},
    {"match": {"protocol": "telegram"}, "times": 2, "action": {"named": "telegram_unauthorized"}},
    {"match": {"protocol": "webhook"}, "times": 2, "action": {"status": 401, "body": "whsec_"}}])");
  daemon program{"notifyd", fixture.arguments("one", "resend")};
  fixture.pipeline.publish({fixture.event("privaterecipient@example.com")});
  fixture.settle(1);
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  fixture.check(program);
}

TEST_CASE("D-E8: no secret is in the log when a relay refuses the login") {
  secrets_fixture fixture;
  auto credentials = base64(std::string{"\0relayuser\0smtpsecretword", 25});
  fixture.secrets["smtp login"] = credentials;
  test_identity identity{"IP:127.0.0.1"};
  scripted_smtp relay{
      smtp_script{smtp::say("220 scripted ESMTP"), smtp::on("EHLO", "250-scripted\r\n250 STARTTLS"),
                  smtp::on("STARTTLS", "220 go"), smtp::start_tls(),
                  smtp::on("EHLO", "250-scripted\r\n250 AUTH PLAIN"),
                  smtp::on("AUTH PLAIN", "535 5.7.8 not with smtpsecretword or " + credentials)}};
  relay.use_identity(identity);
  auto words = fixture.arguments("one", "smtp");
  for (const auto* prefix : {"--channel-email.smtp-port=", "--channel-email.smtp-security="})
    std::erase_if(words, [&](const auto& x) { return x.starts_with(prefix); });
  for (const auto& x : {"--channel-email.smtp-port=" + std::to_string(relay.port()),
                        std::string{"--channel-email.smtp-security=starttls"},
                        std::string{"--channel-email.smtp-verify-certificate=false"},
                        std::string{"--channel-email.smtp-username=relayuser"}})
    words.push_back(x);
  daemon program{"notifyd", words};
  fixture.pipeline.publish({fixture.event("privaterecipient@example.com")});
  fixture.pipeline.require_value(
      "select count(*) > 0 from notify.delivery_attempts where error_code like 'smtp_auth%'", "t");
  CHECK(relay.count("AUTH PLAIN " + credentials) > 0);
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  fixture.check(program);
}

TEST_CASE("D-E8: no secret is in the log of a start that fails") {
  secrets_fixture fixture;
  // Another database than there is, another password than is right, servers that are not there.
  for (const auto& wrong :
       {std::string{"--postgres.url=postgresql://nobody@127.0.0.1:1/none"},
        "--postgres.url=" + fixture.url_as_role() + "_none",
        std::string{"--postgres.url=postgresql://user:pgsecretword@127.0.0.1:1/none?x=y"},
        std::string{"--kafka.properties=[\"sasl.password=saslsecretword\", \"no.such=1\"]"},
        std::string{"--channel-webhook.webhook-secrets-file="} + fixture.file("telegram"),
        std::string{"--tracing.headers-file="} + fixture.file("tracing")}) {
    CAPTURE(wrong);
    auto words = fixture.arguments("one", "smtp");
    auto name = wrong.substr(0, wrong.find('=') + 1);
    std::erase_if(words, [&](const auto& x) { return x.starts_with(name); });
    words.push_back(wrong);
    daemon program{"notifyd", words};
    auto code = program.wait();
    REQUIRE(code);
    CHECK(*code != 0);
    fixture.check(program);
  }
}

} // namespace
} // namespace notify::test

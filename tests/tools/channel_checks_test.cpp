#include "tools/channel_checks.hpp"

#include "actors/providers/base64.hpp"
#include "tests/tools/settings_fixture.hpp"

#include <string>

namespace notify {
namespace {

struct channel_fixture : test::settings_fixture {
  /// What is wrong with the channels of these settings; empty if nothing is.
  std::string problems(const std::string& file) {
    auto err = check_channels(good(file)->service());
    return err ? problem_text(err) : std::string{};
  }
};

TEST_CASE_METHOD(channel_fixture, "a channel's provider has to have what it needs") {
  CHECK(problems("[channel-email]\nprovider=\"resend\"\nresend-from=\"a@example.com\"\n"
                 "[channel-telegram]\nprovider=\"telegram\"\n"
                 "[channel-webhook]\nprovider=\"webhook\"\n")
        == "channel-email.resend-key-file: there is no key\n"
           "channel-telegram.telegram-token-file: there is no token\n"
           "channel-webhook.webhook-secrets-file: there is no secret");
  variables["NOTIFYD_CHANNEL_EMAIL_RESEND_KEY"] = "re_key";
  variables["NOTIFYD_CHANNEL_TELEGRAM_TELEGRAM_TOKEN"] = "123:abcdefghijklm";
  variables["NOTIFYD_CHANNEL_WEBHOOK_WEBHOOK_SECRETS"] = "whsec_" + base64(std::string(32, 's'));
  CHECK(problems("[channel-email]\nprovider=\"resend\"\nresend-from=\"Shop <a@example.com>\"\n"
                 "[channel-telegram]\nprovider=\"telegram\"\n"
                 "[channel-webhook]\nprovider=\"webhook\"\n")
            .empty());
}

TEST_CASE_METHOD(channel_fixture, "a wrong secret is refused without being shown") {
  variables["NOTIFYD_CHANNEL_TELEGRAM_TELEGRAM_TOKEN"] = "hidden-1";
  variables["NOTIFYD_CHANNEL_WEBHOOK_WEBHOOK_SECRETS"] = "hidden-2";
  auto text = problems("[channel-telegram]\nprovider=\"telegram\"\n"
                       "[channel-webhook]\nprovider=\"webhook\"\n");
  CHECK(text.find("channel-telegram.telegram-token-file") != std::string::npos);
  CHECK(text.find("channel-webhook.webhook-secrets-file") != std::string::npos);
  CHECK(text.find("hidden") == std::string::npos);
}

TEST_CASE_METHOD(channel_fixture, "networks, URLs and files of certificates are checked at start") {
  variables["NOTIFYD_CHANNEL_TELEGRAM_TELEGRAM_TOKEN"] = "123:abcdefghijklm";
  CHECK(problems("[channel-webhook]\nprovider=\"webhook\"\n"
                 "webhook-allowed-networks=[\"10.1.0.0\"]\n")
        == "channel-webhook.webhook-allowed-networks: `10.1.0.0` is not a network such as "
           "10.1.0.0/16");
  CHECK(problems("[channel-telegram]\nprovider=\"telegram\"\n"
                 "telegram-api-url=\"http://api.telegram.org\"\n")
        == "channel-telegram.telegram-api-url must be https://, because a key goes with every "
           "request");
  CHECK(problems("[channel-telegram]\nprovider=\"telegram\"\nhttp-ca-file=\"none.pem\"\n")
            .starts_with("channel-telegram.http-ca-file: "));
}

TEST_CASE_METHOD(channel_fixture, "a process that delivers nothing needs no secrets") {
  CHECK(problems("[service]\nrun-deliver=false\n[channel-telegram]\nprovider=\"telegram\"\n")
            .empty());
}

} // namespace
} // namespace notify

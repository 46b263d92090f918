#include "tests/tools/settings_fixture.hpp"
#include "tools/secrets.hpp"

namespace notify {
namespace {

using test::settings_fixture;

TEST_CASE("a URL's passwords are masked wherever they stand") {
  CHECK(mask_url("postgresql://u:pw@db:5432/n") == "postgresql://u:***@db:5432/n");
  CHECK(mask_url("postgresql://u:p?w:x@a,b/n?x=1") == "postgresql://u:***@a,b/n?x=1");
  CHECK(mask_url("postgresql://db/n?user=u&password=pw&sslpassword=k")
        == "postgresql://db/n?user=u&password=***&sslpassword=***");
  CHECK(mask_url("postgresql://db/n?pass%77ord=pw") == "postgresql://db/n?pass%77ord=***");
  CHECK(mask_url("postgresql:///n") == "postgresql:///n");
  CHECK(mask_url("postgresql://u@db:5432/n") == "postgresql://u@db:5432/n");
  CHECK(mask_url("postgresql://db:5432/n?options=a@b") == "postgresql://db:5432/n?options=a@b");
}

TEST_CASE("a URL's password is taken out and decoded") {
  auto check = [](const std::string& url, const std::string& rest,
                  const std::optional<std::string>& password) {
    auto result = split_password(url);
    CHECK(result.url == rest);
    CHECK(result.password == password);
  };
  check("postgresql://u:p%40w@db/n", "postgresql://u@db/n", "p@w");
  check("postgresql://db/n?password=pw&user=u", "postgresql://db/n?user=u", "pw");
  check("postgresql://db/n?user=u&password=pw", "postgresql://db/n?user=u", "pw");
  check("postgresql://db/n?password=pw", "postgresql://db/n", "pw");
  check("postgresql://u:one@db/n?password=two", "postgresql://u@db/n", "two");
  check("postgresql://u:@db/n", "postgresql://u@db/n", std::nullopt);
  check("postgresql://db/n?sslpassword=k", "postgresql://db/n?sslpassword=k", std::nullopt);
}

TEST_CASE("librdkafka properties with secrets are known") {
  for (auto name : {"sasl.password", "ssl.key.password", "ssl.keystore.password", "ssl.key.pem",
                    "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config"})
    CHECK(is_secret_property(name));
  for (auto name : {"sasl.username", "ssl.ca.location", "sasl.oauthbearer.token.endpoint.url"})
    CHECK_FALSE(is_secret_property(name));
  CHECK(mask_property("sasl.password=a=b") == "sasl.password=***");
  CHECK(mask_property("sasl.username=a") == "sasl.username=a");
}

TEST_CASE_METHOD(settings_fixture, "the database password comes from the environment first") {
  folder.write("pw", "from-file\nsecond line\n");
  auto with_file = "[postgres]\npassword-file=\"pw\"\n";
  auto with_url = "[postgres]\nurl=\"postgresql://u:from-url@db/n\"\n";
  CHECK(good(with_file)->service().postgres.password == "from-file");
  CHECK(good(with_url)->service().postgres.password == "from-url");
  CHECK(good(with_url)->service().postgres.url == "postgresql://u@db/n");
  variables["PGPASSWORD"] = "from-libpq";
  CHECK(good("")->service().postgres.password == "from-libpq");
  CHECK(good(with_file)->service().postgres.password == "from-file");
  CHECK(good(with_url)->service().postgres.password == "from-url");
  variables["NOTIFYD_POSTGRES_PASSWORD"] = "from-variable";
  CHECK(good(with_file)->service().postgres.password == "from-variable");
  CHECK(good(with_url)->service().postgres.password == "from-variable");
}

TEST_CASE_METHOD(settings_fixture, "mail and Kafka passwords come from files or the environment") {
  folder.write("pw", "from-file\r\n");
  auto text = "[kafka]\nsasl-password-file=\"pw\"\n"
              "[channel-email]\nsmtp-password-file=\"pw\"\n"
              "[channel-telegram]\nprovider=\"log\"\n";
  auto config = good(text);
  CHECK(config->service().kafka.properties.at("sasl.password") == "from-file");
  CHECK(config->service().channels.at("email").smtp.password == "from-file");
  variables["NOTIFYD_KAFKA_SASL_PASSWORD"] = "k";
  variables["NOTIFYD_CHANNEL_EMAIL_SMTP_PASSWORD"] = "e";
  variables["NOTIFYD_CHANNEL_TELEGRAM_SMTP_PASSWORD"] = "t";
  config = good(text);
  CHECK(config->service().kafka.properties.at("sasl.password") == "k");
  CHECK(config->service().channels.at("email").smtp.password == "e");
  CHECK(config->service().channels.at("telegram").smtp.password == "t");
}

TEST_CASE_METHOD(settings_fixture, "secrets of HTTP providers come from files or the environment") {
  folder.write("key", "re_from-file\n");
  folder.write("token", "1:from-file\r\n");
  folder.write("secrets", "whsec_new\r\n\nwhsec_old\n");
  auto text = "[channel-email]\nresend-key-file=\"key\"\n"
              "[channel-telegram]\nprovider=\"telegram\"\ntelegram-token-file=\"token\"\n"
              "[channel-webhook]\nprovider=\"webhook\"\nwebhook-secrets-file=\"secrets\"\n";
  auto config = good(text);
  const auto& channels = config->service().channels;
  CHECK(channels.at("email").resend.api_key == "re_from-file");
  CHECK(channels.at("telegram").telegram.token == "1:from-file");
  CHECK(channels.at("webhook").webhook.secrets
        == std::vector<std::string>{"whsec_new", "whsec_old"});
  variables["NOTIFYD_CHANNEL_EMAIL_RESEND_KEY"] = "k";
  variables["NOTIFYD_CHANNEL_TELEGRAM_TELEGRAM_TOKEN"] = "t";
  variables["NOTIFYD_CHANNEL_WEBHOOK_WEBHOOK_SECRETS"] = "  a b\n";
  auto other = good(text);
  CHECK(other->service().channels.at("email").resend.api_key == "k");
  CHECK(other->service().channels.at("telegram").telegram.token == "t");
  CHECK(other->service().channels.at("webhook").webhook.secrets
        == std::vector<std::string>{"a", "b"});
}

TEST_CASE_METHOD(settings_fixture, "a file of secrets must have one") {
  folder.write("secrets", "\n\r\n");
  CHECK(refusal("[channel-webhook]\nprovider=\"webhook\"\nwebhook-secrets-file=\"secrets\"\n")
        == "channel-webhook.webhook-secrets-file: secrets is empty; each line is a secret");
}

TEST_CASE_METHOD(settings_fixture, "a password file must have a password") {
  folder.write("pw", "\n");
  auto path = (folder.path() / "pw").string();
  CHECK(refusal("[postgres]\npassword-file=\"pw\"\n")
        == "postgres.password-file: pw is empty; its first line is the password");
  CHECK(refusal("[channel-email]\nsmtp-password-file=\"none\"\n")
        == "channel-email.smtp-password-file: cannot read none: No such file or directory");
  folder.write("pw", "x");
  CHECK(refusal("[postgres]\npassword-file=\"pw\"\nurl=\"postgresql://u:pw@db/n\"\n")
        == "postgres.url and postgres.password-file both have a password; remove one");
}

TEST_CASE_METHOD(settings_fixture, "no secret is shown by check") {
  folder.write("pw", "hidden-1");
  variables["NOTIFYD_CHANNEL_EMAIL_SMTP_PASSWORD"] = "hidden-2";
  variables["NOTIFYD_CHANNEL_EMAIL_RESEND_KEY"] = "hidden-5";
  variables["NOTIFYD_CHANNEL_EMAIL_TELEGRAM_TOKEN"] = "hidden-6";
  variables["NOTIFYD_CHANNEL_EMAIL_WEBHOOK_SECRETS"] = "hidden-7";
  auto text = good("[postgres]\nurl=\"postgresql://u:hidden-3@db/n\"\n"
                   "[kafka]\nsasl-password-file=\"pw\"\n"
                   "properties=[\"ssl.key.password=hidden-4\", \"sasl.username=shown\"]\n")
                  ->dump();
  CHECK(text.find("hidden") == std::string::npos);
  CHECK(text.find("url=\"postgresql://u:***@db/n\"\n") != std::string::npos);
  CHECK(text.find("properties=[\"sasl.username=shown\", \"ssl.key.password=***\"]\n")
        != std::string::npos);
  CHECK(text.find("; password: ***, from environment variable "
                  "NOTIFYD_CHANNEL_EMAIL_SMTP_PASSWORD\n")
        != std::string::npos);
}

TEST_CASE_METHOD(settings_fixture, "what check printed can be read, but not run") {
  auto config = good("[postgres]\nurl=\"postgresql://u:***@db/n\"\n");
  CHECK(problem_text(config->check_passwords())
        == "the database password is the mask ***, not a password");
  variables["NOTIFYD_POSTGRES_PASSWORD"] = "pw";
  CHECK_FALSE(good("[postgres]\nurl=\"postgresql://u:***@db/n\"\n")->check_passwords());
}

} // namespace
} // namespace notify

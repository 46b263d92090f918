#include "actors/providers/io_threads.hpp"
#include "actors/providers/smtp_provider.hpp"
#include "messages/uuid.hpp"
#include "tests/support/mail_dev.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace notify {
namespace {

using test::eventually;

/// A provider that sends to MailDev, and a key prefix that no other test has.
struct mail_dev_fixture {
  mail_dev_fixture() {
    smtp_config config;
    config.host = server.smtp_host();
    config.port = server.smtp_port();
    config.security = smtp_security::none;
    config.from_address = "shop@example.com";
    config.from_name = "Магазин «Пример»";
    config.message_id_domain = "example.com";
    config.max_connections = 4;
    auto made = smtp_provider::make(io.context(), config);
    REQUIRE(made);
    provider = *made;
  }

  ~mail_dev_fixture() { provider->stop(); }

  std::future<outcome> start(const std::string& key, rendered_message content) {
    auto promise = std::make_shared<std::promise<outcome>>();
    provider->send({uuid::random(), 1, "user@example.org", std::move(content), key},
                   [promise](outcome x) { promise->set_value(std::move(x)); });
    return promise->get_future();
  }

  std::vector<test::seen_mail> wait_for_mails(size_t count) {
    CHECK(eventually([&] { return server.mails(prefix).size() >= count; }));
    return server.mails(prefix);
  }

  test::mail_dev server;
  std::string prefix = to_string(uuid::random());
  io_threads io{1};
  std::shared_ptr<smtp_provider> provider;
};

TEST_CASE_METHOD(mail_dev_fixture, "a real server receives the mail as it was asked for") {
  std::string subject = "Заказ № 42 оплачен 😀";
  for (int i = 0; i < 100; ++i)
    subject += " щедро";
  rendered_message content;
  content.subject = subject;
  content.text = "Спасибо за заказ!\n.\n..\nСумма: 9 980,00 ₽\n.last line";
  content.html = "<p>Спасибо за заказ!</p>\n<p>Сумма: <b>9 980,00 ₽</b></p>\n";
  auto result = start(prefix, content).get();
  INFO(result.reason << " " << result.detail);
  REQUIRE(result.kind == outcome_kind::sent);
  auto mails = wait_for_mails(1);
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].message_id == prefix + "@example.com");
  CHECK(mails[0].from == "shop@example.com");
  CHECK(mails[0].from_name == "Магазин «Пример»");
  CHECK(mails[0].to == "user@example.org");
  CHECK(mails[0].subject == content.subject);
  CHECK(mails[0].text == content.text);
  CHECK(mails[0].html == content.html);
}

TEST_CASE_METHOD(mail_dev_fixture, "twenty mails over reused connections arrive once each") {
  std::vector<std::future<outcome>> pending;
  for (int i = 0; i < 20; ++i) {
    rendered_message content;
    content.subject = "Mail " + std::to_string(i);
    content.text = "Text " + std::to_string(i) + '\n';
    pending.push_back(start(prefix + '.' + std::to_string(i), content));
  }
  size_t reused = 0;
  for (auto& x : pending) {
    auto result = x.get();
    CHECK(result.kind == outcome_kind::sent);
    reused += result.connection_reused;
  }
  CHECK(reused == 16);
  CHECK(provider->gauge().idle == 4);
  auto mails = wait_for_mails(20);
  std::set<std::string> subjects;
  for (const auto& x : mails) {
    subjects.insert(x.subject);
    CHECK(x.message_id == prefix + '.' + x.subject.substr(5) + "@example.com");
    CHECK(x.text == "Text " + x.subject.substr(5) + '\n');
  }
  CHECK(mails.size() == 20);
  CHECK(subjects.size() == 20);
}

} // namespace
} // namespace notify

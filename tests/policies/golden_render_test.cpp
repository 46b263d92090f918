#include "actors/rendering.hpp"

#include "messages/error.hpp"
#include "tests/policies/jobs.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace notify {
namespace {

// The expected mails stand in golden/KEY.LOCALE.PART. To change them on purpose, change the file
// by hand or copy the part from the failing check.

const std::string plain_payload =
    R"({"order_id": "5f0c2f7e-77", "total_amount": 998000, "currency": "RUB",
          "email": "user@example.com"})";

const std::string hostile_payload =
    R"({"order_id": "<script>alert('77')</script>", "total_amount": 1234567, "currency": "JPY",
          "reason": "\"A & B\" <b>sold out</b>"})";

struct golden_line {
  const char* name; ///< Start of the files' names.
  const char* key;
  const char* locale;
  const std::string& payload;
};

const golden_line lines[] = {
    {"order-created.en", "order-created.v1", "en", plain_payload},
    {"order-created.ru", "order-created.v1", "ru", plain_payload},
    {"order-paid.en", "order-paid.v1", "en-GB", plain_payload},
    {"order-paid.ru", "order-paid.v1", "ru-RU", plain_payload},
    {"order-cancelled.en", "order-cancelled.v1", "en", plain_payload},
    {"order-cancelled.ru", "order-cancelled.v1", "ru", plain_payload},
    {"order-cancelled-hostile.en", "order-cancelled.v1", "en", hostile_payload},
    {"order-cancelled-hostile.ru", "order-cancelled.v1", "ru", hostile_payload},
    {"order-completed.en", "order-completed.v1", "en", plain_payload},
    {"order-completed.ru", "order-completed.v1", "ru", plain_payload},
    {"order-paid-telegram.en", "order-paid-telegram.v1", "en", plain_payload},
    {"order-paid-telegram.ru", "order-paid-telegram.v1", "ru", plain_payload},
};

std::string golden(const std::string& name) {
  std::ifstream file{NOTIFY_SOURCE_DIR "/tests/policies/golden/" + name, std::ios::binary};
  if (!file)
    return "(there is no file " + name + ")";
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST_CASE("the shipped templates render to the golden mails") {
  auto set = template_set::load(NOTIFY_SOURCE_DIR "/tools/config/templates");
  REQUIRE(set);
  for (const auto& x : lines) {
    INFO(x.name);
    auto result = (*set)->render(test::job_for(x.key, x.locale, x.payload));
    REQUIRE(result);
    auto mail = !result->subject.empty();
    CHECK((mail ? "Subject: " + result->subject + "\n\n" + result->text : result->text)
          == golden(std::string{x.name} + ".txt"));
    if (mail)
      CHECK(result->html == golden(std::string{x.name} + ".html"));
    else
      CHECK(result->html.empty());
  }
}

} // namespace
} // namespace notify

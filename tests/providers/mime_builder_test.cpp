#include "actors/providers/mime_builder.hpp"
#include "actors/providers/mime_header.hpp"
#include "tests/providers/read_mail.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <thread>
#include <vector>

namespace notify {
namespace {

using namespace std::string_literals;
using test::check_encoded_words;
using test::check_wire_rules;
using test::header_of;
using test::read_mail;

mime_parts usual_parts() {
  mime_parts result;
  result.from = {"shop", "example.com"};
  result.to = {"user", "example.org"};
  result.subject = "Order paid";
  result.text = "Thank you.\n";
  result.html = "<p>Thank you.</p>\n";
  result.idempotency_key = "0191f8a0-b1c2-8d3e-8f4a-5b6c7d8e9f01.2";
  result.message_id_domain = "example.com";
  result.date = std::chrono::system_clock::from_time_t(1'700'000'000);
  return result;
}

std::string built(const mime_parts& parts) {
  auto result = build_mime(parts);
  REQUIRE(result);
  return *result;
}

TEST_CASE("a message has every header once and both parts") {
  auto parts = usual_parts();
  parts.from_name = "Магазин \"Пример\", Ltd";
  parts.subject = "Заказ оплачен";
  parts.text = "Спасибо!\nСумма: 9 980 ₽\n";
  parts.html = "<p>Спасибо!</p>\n";
  auto bytes = built(parts);
  check_wire_rules(bytes);
  auto seen = read_mail(bytes);
  CHECK(seen.from == "\"Магазин \\\"Пример\\\", Ltd\" <shop@example.com>");
  CHECK(seen.to == "user@example.org");
  CHECK(seen.subject == "Заказ оплачен");
  CHECK(seen.id == "0191f8a0-b1c2-8d3e-8f4a-5b6c7d8e9f01.2@example.com");
  CHECK(seen.parts.at("plain") == parts.text);
  CHECK(seen.parts.at("html") == parts.html);
  auto header = header_of(bytes);
  for (auto name : {"From: ", "To: ", "Subject: ", "Date: Tue, 14 Nov 2023 22:13:20 +0000",
                    "Message-Id: <", "MIME-Version: 1.0", "Content-Type: multipart/alternative"}) {
    INFO(header);
    auto at = header.find(name);
    REQUIRE(at != std::string::npos);
    CHECK(header.find(name, at + 1) == std::string::npos);
  }
}

TEST_CASE("a message without HTML is a single text part") {
  auto parts = usual_parts();
  parts.html.clear();
  auto bytes = built(parts);
  CHECK(header_of(bytes).find("Content-Type: text/plain; charset=utf-8") != std::string::npos);
  CHECK(bytes.find("multipart") == std::string::npos);
  CHECK(read_mail(bytes).parts.at("plain") == "Thank you.\n");
}

TEST_CASE("the same parts give the same bytes, another key another boundary") {
  auto parts = usual_parts();
  auto first = built(parts);
  CHECK(built(parts) == first);
  parts.idempotency_key = "another";
  auto second = built(parts);
  auto boundary = [](const std::string& x) { return x.substr(x.find("boundary="), 40); };
  CHECK(boundary(first) != boundary(second));
}

std::string repeated(size_t count, const std::string& text) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST_CASE("P-20: long subjects and names survive in short encoded words of whole characters") {
  const std::string family = "👨‍👩‍👧";
  for (const auto& text :
       {repeated(40, "Zusammenfassung Ihrer Bestellung — "), repeated(300, family),
        repeated(300, "😀"), repeated(500, "Ж"), "a" + repeated(400, "😀"),
        repeated(500, "Ж") + " 😀 " + repeated(500, "Ж"), repeated(800, "e\xCC\x81"),
        repeated(200, "日本語テキスト、"), test::filled(500, 'x'), repeated(200, "word "),
        "=?utf-8?q?not_encoded?="s, "ends like one ?="s, "  a  b "s, " "s}) {
    auto parts = usual_parts();
    parts.subject = text;
    parts.from_name = text;
    auto bytes = built(parts);
    INFO(text);
    check_wire_rules(bytes);
    check_encoded_words(header_of(bytes));
    auto seen = read_mail(bytes);
    CHECK(seen.subject == text);
    CHECK(seen.from.find("shop@example.com") != std::string::npos);
  }
}

TEST_CASE("line breaks and controls in a subject add no header") {
  for (const auto& subject : {"a\r\nBcc: evil@x"s, "a\rBcc: evil@x"s, "a\nBcc: evil@x"s,
                              "a\0Bcc: evil@x"s, "a\r\n\r\nbody"s, "a\xE2\x80\xA8"s + "Bcc: evil@x",
                              "a\xC2\x85"
                              "Bcc: evil@x"s}) {
    auto parts = usual_parts();
    parts.subject = subject;
    parts.from_name = subject;
    auto header = "\r\n" + header_of(built(parts));
    INFO(header);
    CHECK(header.find("\r\nBcc") == std::string::npos);
    CHECK(header.find("\r\nbody") == std::string::npos);
    CHECK(header.find("\r\nTo: <user@example.org>\r\n") != std::string::npos);
  }
  CHECK(flatten_header("a\r\nb\tc\0d"s)
        == "a  b c\xEF\xBF\xBD"
           "d");
}

TEST_CASE("bodies come back whatever their lines are") {
  for (const auto& text :
       {"."s, "a\n.\n..\n.x\nFrom me\n"s, "no newline at the end"s, "trailing space \n"s, "\n\n"s,
        test::filled(3000, 'x') + "\n", test::filled(3000, 'x') + "Ж", "=3D = =\n"s,
        "--=_x\nnot a boundary\n"s, "tab\tand bell\a\n"s}) {
    auto parts = usual_parts();
    parts.text = text;
    parts.html = text;
    auto bytes = built(parts);
    INFO(text);
    check_wire_rules(bytes);
    auto seen = read_mail(bytes);
    CHECK(seen.parts.at("plain") == text);
    CHECK(seen.parts.at("html") == text);
  }
}

TEST_CASE("bare line ends in a body become whole ones and broken bytes are marked") {
  auto parts = usual_parts();
  parts.text = "a\rb\nc\r\nd\xFF\0e"s;
  auto bytes = built(parts);
  check_wire_rules(bytes);
  CHECK(read_mail(bytes).parts.at("plain")
        == "a\nb\nc\nd\xEF\xBF\xBD\xEF\xBF\xBD"
           "e");
}

TEST_CASE("only a local part outside ASCII puts a byte outside ASCII into the header") {
  auto parts = usual_parts();
  parts.to = {"иван", "xn--80a1acny.xn--p1ai"};
  CHECK(built(parts).find("To: <иван@xn--80a1acny.xn--p1ai>\r\n") != std::string::npos);
}

TEST_CASE("a key that cannot be a Message-ID is refused") {
  for (const auto& key : {""s, "a b"s, "a\r\nBcc: x"s, "a>b"s, "a@b"s, "a\0b"s, ".a"s, "a."s,
                          "ключ"s, test::filled(201, 'a')}) {
    auto parts = usual_parts();
    parts.idempotency_key = key;
    CHECK_FALSE(build_mime(parts));
    parts = usual_parts();
    parts.message_id_domain = key;
    CHECK_FALSE(build_mime(parts));
  }
}

TEST_CASE("messages are built on many threads at once") {
  auto expected = built(usual_parts());
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (auto& count : wrong)
    threads.emplace_back([&count, &expected] {
      for (int i = 0; i < 50; ++i) {
        auto bytes = build_mime(usual_parts());
        count += !bytes || *bytes != expected;
      }
    });
  for (auto& x : threads)
    x.join();
  CHECK(wrong == std::vector<int>(4));
}

} // namespace
} // namespace notify

#include "actors/providers/mime_builder.hpp"
#include "actors/providers/mime_header.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <gmime/gmime.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace notify {
namespace {

using namespace std::string_literals;

struct unref {
  void operator()(void* x) const { g_object_unref(x); }
};

/// A message as a reader sees it.
struct read_message {
  std::string from, to, subject, id, type;
  std::map<std::string, std::string> parts; ///< By subtype.
};

void read_part(GMimeObject*, GMimeObject* part, gpointer target) {
  if (!GMIME_IS_TEXT_PART(part))
    return;
  auto* type = g_mime_object_get_content_type(part);
  std::unique_ptr<char, decltype(&g_free)> text{g_mime_text_part_get_text(GMIME_TEXT_PART(part)),
                                                &g_free};
  // GMime hands out the canonical form; a reader shows plain line ends.
  std::string lines = text.get();
  lines.erase(std::remove(lines.begin(), lines.end(), '\r'), lines.end());
  auto& result = *static_cast<read_message*>(target);
  result.parts[g_mime_content_type_get_media_subtype(type)] = std::move(lines);
}

std::string shown(InternetAddressList* list) {
  std::unique_ptr<char, decltype(&g_free)> text{
      internet_address_list_to_string(list, nullptr, FALSE), &g_free};
  return text.get();
}

read_message read(const std::string& bytes) {
  g_mime_init();
  std::unique_ptr<GMimeStream, unref> stream{
      g_mime_stream_mem_new_with_buffer(bytes.data(), bytes.size())};
  std::unique_ptr<GMimeParser, unref> parser{g_mime_parser_new_with_stream(stream.get())};
  std::unique_ptr<GMimeMessage, unref> message{
      g_mime_parser_construct_message(parser.get(), nullptr)};
  REQUIRE(message);
  read_message result;
  result.from = shown(g_mime_message_get_from(message.get()));
  result.to = shown(g_mime_message_get_to(message.get()));
  result.subject = g_mime_message_get_subject(message.get());
  result.id = g_mime_message_get_message_id(message.get());
  g_mime_message_foreach(message.get(), &read_part, &result);
  return result;
}

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

std::string header_of(const std::string& bytes) {
  return bytes.substr(0, bytes.find("\r\n\r\n"));
}

/// Only CRLF, no long line, nothing outside ASCII, no NUL.
void check_wire_rules(const std::string& bytes) {
  size_t line = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto x = static_cast<unsigned char>(bytes[i]);
    REQUIRE(x != 0);
    REQUIRE(x < 0x80);
    REQUIRE((x != '\n' || (i > 0 && bytes[i - 1] == '\r')));
    REQUIRE((x != '\r' || (i + 1 < bytes.size() && bytes[i + 1] == '\n')));
    line = x == '\n' ? 0 : line + 1;
    // RFC 2045 and 2047: 76 characters, plus the CR.
    REQUIRE(line <= 77);
  }
}

/// RFC 2047: no encoded word of more than 75 characters, each whole characters of UTF-8.
void check_encoded_words(const std::string& header) {
  for (auto at = header.find("=?"); at != std::string::npos; at = header.find("=?", at)) {
    auto end = header.find("?=", header.find('?', header.find('?', at + 2) + 1) + 1) + 2;
    auto word = header.substr(at, end - at);
    INFO(word);
    REQUIRE(word.size() <= 75);
    std::unique_ptr<char, decltype(&g_free)> text{
        g_mime_utils_header_decode_text(nullptr, word.c_str()), &g_free};
    REQUIRE(g_utf8_validate(text.get(), -1, nullptr));
    REQUIRE(std::string{text.get()}.find("\xEF\xBF\xBD") == std::string::npos);
    at = end;
  }
}

TEST_CASE("a message has every header once and both parts") {
  auto parts = usual_parts();
  parts.from_name = "Магазин \"Пример\", Ltd";
  parts.subject = "Заказ оплачен";
  parts.text = "Спасибо!\nСумма: 9 980 ₽\n";
  parts.html = "<p>Спасибо!</p>\n";
  auto bytes = built(parts);
  check_wire_rules(bytes);
  auto seen = read(bytes);
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
  CHECK(read(bytes).parts.at("plain") == "Thank you.\n");
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

TEST_CASE("long subjects survive in short encoded words of whole characters") {
  std::string cyrillic, emoji, spaced;
  for (int i = 0; i < 500; ++i)
    cyrillic += "Ж";
  for (int i = 0; i < 300; ++i)
    emoji += "👨‍👩‍👧";
  for (int i = 0; i < 40; ++i)
    spaced += "Zusammenfassung Ihrer Bestellung — ";
  for (const auto& subject : {cyrillic, cyrillic + " 😀 " + cyrillic, emoji, spaced,
                              test::filled(500, 'x'), "=?utf-8?q?not_encoded?="s, "  a  b "s}) {
    auto parts = usual_parts();
    parts.subject = subject;
    auto bytes = built(parts);
    INFO(subject);
    check_encoded_words(header_of(bytes));
    CHECK(read(bytes).subject == subject);
    for (size_t at = 0, end = 0; (end = bytes.find("\r\n", at)) != std::string::npos; at = end + 2)
      REQUIRE(end - at <= 998);
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
    auto seen = read(bytes);
    CHECK(seen.parts.at("plain") == text);
    CHECK(seen.parts.at("html") == text);
  }
}

TEST_CASE("bare line ends in a body become whole ones and broken bytes are marked") {
  auto parts = usual_parts();
  parts.text = "a\rb\nc\r\nd\xFF\0e"s;
  auto bytes = built(parts);
  check_wire_rules(bytes);
  CHECK(read(bytes).parts.at("plain")
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

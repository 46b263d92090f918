#include "tests/providers/read_mail.hpp"

#include <catch2/catch.hpp>

#include <gmime/gmime.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace notify::test {

namespace {

struct unref {
  void operator()(void* x) const { g_object_unref(x); }
};

using owned_text = std::unique_ptr<char, decltype(&g_free)>;

void read_part(GMimeObject*, GMimeObject* part, gpointer target) {
  if (!GMIME_IS_TEXT_PART(part))
    return;
  auto* type = g_mime_object_get_content_type(part);
  owned_text text{g_mime_text_part_get_text(GMIME_TEXT_PART(part)), &g_free};
  // GMime hands out the canonical form; a reader shows plain line ends.
  std::string lines = text.get();
  lines.erase(std::remove(lines.begin(), lines.end(), '\r'), lines.end());
  auto& result = *static_cast<mail_text*>(target);
  result.parts[g_mime_content_type_get_media_subtype(type)] = std::move(lines);
}

std::string shown(InternetAddressList* list) {
  owned_text text{internet_address_list_to_string(list, nullptr, FALSE), &g_free};
  return text.get();
}

std::vector<std::string> header_names(const std::string& bytes) {
  std::vector<std::string> result;
  std::istringstream lines{header_of(bytes)};
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(' ') && !line.starts_with('\t'))
      result.push_back(line.substr(0, line.find(':')));
  return result;
}

} // namespace

mail_text read_mail(const std::string& bytes) {
  g_mime_init();
  std::unique_ptr<GMimeStream, unref> stream{
      g_mime_stream_mem_new_with_buffer(bytes.data(), bytes.size())};
  std::unique_ptr<GMimeParser, unref> parser{g_mime_parser_new_with_stream(stream.get())};
  std::unique_ptr<GMimeMessage, unref> message{
      g_mime_parser_construct_message(parser.get(), nullptr)};
  REQUIRE(message);
  mail_text result;
  result.from = shown(g_mime_message_get_from(message.get()));
  result.to = shown(g_mime_message_get_to(message.get()));
  result.subject = g_mime_message_get_subject(message.get());
  result.id = g_mime_message_get_message_id(message.get());
  result.header_names = header_names(bytes);
  g_mime_message_foreach(message.get(), &read_part, &result);
  return result;
}

std::string header_of(const std::string& bytes) {
  return bytes.substr(0, bytes.find("\r\n\r\n"));
}

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

void check_encoded_words(const std::string& header) {
  for (auto at = header.find("=?"); at != std::string::npos; at = header.find("=?", at)) {
    auto end = header.find("?=", header.find('?', header.find('?', at + 2) + 1) + 1) + 2;
    auto word = header.substr(at, end - at);
    INFO(word);
    REQUIRE(word.size() <= 75);
    owned_text text{g_mime_utils_header_decode_text(nullptr, word.c_str()), &g_free};
    REQUIRE(g_utf8_validate(text.get(), -1, nullptr));
    REQUIRE(std::string{text.get()}.find("\xEF\xBF\xBD") == std::string::npos);
    at = end;
  }
}

} // namespace notify::test

#include "actors/providers/mime_builder.hpp"

#include "actors/providers/mime_header.hpp"
#include "messages/error.hpp"
#include "messages/safe_text.hpp"

#include <gmime/gmime.h>
#include <openssl/sha.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>

namespace notify {

namespace {

struct unref_object {
  void operator()(void* x) const { g_object_unref(x); }
};

/// Owns one reference of a GMime object.
template <class T>
using owned = std::unique_ptr<T, unref_object>;

template <class T>
owned<T> own(T* x) {
  return owned<T>{x};
}

/// GMime's tables are global: set up once, never taken down.
void init_gmime() {
  static std::once_flag once;
  std::call_once(once, [] { g_mime_init(); });
}

bool is_id_character(char x) {
  return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '-'
         || x == '_' || x == '.' || x == '+' || x == '=';
}

bool is_id_part(std::string_view text) {
  return !text.empty() && text.size() <= 200 && text.front() != '.' && text.back() != '.'
         && std::all_of(text.begin(), text.end(), is_id_character);
}

/// No line of quoted-printable or base64 can begin with `--=_`, so the parts cannot contain it.
std::string boundary_of(const std::string& key) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest);
  std::string result = "=_";
  for (size_t i = 0; i < 16; ++i) {
    constexpr std::string_view digits = "0123456789abcdef";
    result += digits[digest[i] >> 4u];
    result += digits[digest[i] & 15u];
  }
  return result;
}

/// Makes every line break CRLF: text is canonical before it is encoded (RFC 2045, section 6).
std::string canonical_lines(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 32 + 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      result += text[i];
      continue;
    }
    result += "\r\n";
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
  }
  return result;
}

/// Quoted-printable triples a byte outside ASCII, base64 adds a third to every byte.
GMimeContentEncoding shortest_encoding(std::string_view text) {
  auto wide = std::count_if(text.begin(), text.end(), [](unsigned char x) { return x >= 0x80; });
  return static_cast<size_t>(wide) * 6 > text.size() ? GMIME_CONTENT_ENCODING_BASE64
                                                     : GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE;
}

owned<GMimePart> make_text_part(const char* subtype, std::string_view raw) {
  auto text = canonical_lines(safe_text(raw, std::string::npos));
  auto stream = own(g_mime_stream_mem_new_with_buffer(text.data(), text.size()));
  auto content =
      own(g_mime_data_wrapper_new_with_stream(stream.get(), GMIME_CONTENT_ENCODING_DEFAULT));
  auto part = own(g_mime_part_new_with_type("text", subtype));
  g_mime_object_set_content_type_parameter(GMIME_OBJECT(part.get()), "charset", "utf-8");
  g_mime_part_set_content_encoding(part.get(), shortest_encoding(text));
  g_mime_part_set_content(part.get(), content.get());
  return part;
}

void set_body(GMimeMessage* message, const mime_parts& parts) {
  auto text = make_text_part("plain", parts.text);
  if (parts.html.empty()) {
    g_mime_message_set_mime_part(message, GMIME_OBJECT(text.get()));
    return;
  }
  auto html = make_text_part("html", parts.html);
  auto both = own(g_mime_multipart_new_with_subtype("alternative"));
  g_mime_multipart_set_boundary(both.get(), boundary_of(parts.idempotency_key).c_str());
  g_mime_multipart_add(both.get(), GMIME_OBJECT(text.get()));
  g_mime_multipart_add(both.get(), GMIME_OBJECT(html.get()));
  g_mime_message_set_mime_part(message, GMIME_OBJECT(both.get()));
}

/// GMime's own encoder measures its words before it encodes them and ends up with words of 116
/// characters, so the header is given to it ready.
void set_raw_header(GMimeMessage* message, const char* name, const std::string& value) {
  auto* headers = g_mime_object_get_header_list(GMIME_OBJECT(message));
  g_mime_header_list_set(headers, name, "", nullptr);
  auto* header = g_mime_header_list_get_header(headers, name);
  g_mime_header_set_raw_value(header, (' ' + value + '\n').c_str());
}

void set_headers(GMimeMessage* message, const mime_parts& parts) {
  auto name = encode_header_phrase(flatten_header(parts.from_name));
  set_raw_header(message, "From", name + (name.empty() ? "<" : "\n <") + parts.from.text() + '>');
  set_raw_header(message, "To", '<' + parts.to.text() + '>');
  set_raw_header(message, "Subject", encode_header_text(flatten_header(parts.subject)));
  auto id = parts.idempotency_key + '@' + parts.message_id_domain;
  g_mime_message_set_message_id(message, id.c_str());
  auto* date = g_date_time_new_from_unix_utc(std::chrono::system_clock::to_time_t(parts.date));
  g_mime_message_set_date(message, date);
  g_date_time_unref(date);
}

std::string serialize(GMimeMessage* message) {
  auto* options = g_mime_format_options_new();
  g_mime_format_options_set_newline_format(options, GMIME_NEWLINE_FORMAT_DOS);
  auto stream = own(g_mime_stream_mem_new());
  g_mime_object_write_to_stream(GMIME_OBJECT(message), options, stream.get());
  g_mime_format_options_free(options);
  const auto* bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream.get()));
  return {reinterpret_cast<const char*>(bytes->data), bytes->len};
}

} // namespace

caf::expected<std::string> build_mime(const mime_parts& parts) {
  if (!is_id_part(parts.idempotency_key) || !is_id_part(parts.message_id_domain))
    return caf::make_error(ec::invalid_event, "the key cannot be a Message-ID");
  init_gmime();
  auto message = own(g_mime_message_new(TRUE));
  set_headers(message.get(), parts);
  set_body(message.get(), parts);
  return serialize(message.get());
}

} // namespace notify

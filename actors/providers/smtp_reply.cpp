#include "actors/providers/smtp_reply.hpp"

#include <algorithm>
#include <charconv>

namespace notify {

namespace {

constexpr size_t max_line = 4096;
constexpr size_t max_reply = size_t{64} * 1024;

bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

char upper(char x) {
  return x >= 'a' && x <= 'z' ? static_cast<char>(x - 'a' + 'A') : x;
}

std::string upper(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), [](char x) { return upper(x); });
  return result;
}

/// Length of `class.subject.detail` at the start of `text`; 0 if there is none.
size_t enhanced_length(std::string_view text) {
  if (text.size() < 5 || (text[0] != '2' && text[0] != '4' && text[0] != '5'))
    return 0;
  size_t at = 1;
  for (int part = 0; part < 2; ++part) {
    if (at >= text.size() || text[at] != '.')
      return 0;
    auto begin = ++at;
    while (at < text.size() && is_digit(text[at]) && at - begin < 4)
      ++at;
    if (at == begin || at - begin > 3)
      return 0;
  }
  return at == text.size() || text[at] == ' ' ? at : 0;
}

/// Adds one line without its line end. False if it cannot belong to the reply.
bool add_line(smtp_reply& reply, std::string_view line, bool& is_last) {
  if (line.size() < 3 || !std::all_of(line.begin(), line.begin() + 3, is_digit))
    return false;
  if (line.size() > 3 && line[3] != ' ' && line[3] != '-')
    return false;
  auto code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  if (!reply.lines.empty() && code != reply.code)
    return false;
  is_last = line.size() == 3 || line[3] == ' ';
  auto text = line.size() > 4 ? line.substr(4) : std::string_view{};
  if (reply.lines.empty())
    reply.enhanced = text.substr(0, enhanced_length(text));
  reply.code = code;
  reply.lines.emplace_back(text);
  return true;
}

std::string_view next_word(std::string_view& text) {
  auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  auto end = std::min(text.find_first_of(" \t", begin), text.size());
  auto word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// The word after `marker`, without the punctuation around it.
std::string word_after(std::string_view text, std::string_view marker) {
  auto at = upper(text).find(marker);
  if (at == std::string::npos)
    return {};
  auto rest = text.substr(at + marker.size());
  auto word = next_word(rest);
  while (!word.empty() && std::string_view{"<>()[].,;"}.find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  while (!word.empty() && std::string_view{"<>()["}.find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  return std::string{word};
}

void read_auth(smtp_extensions& result, std::string_view mechanisms) {
  for (auto word = next_word(mechanisms); !word.empty(); word = next_word(mechanisms)) {
    auto name = upper(word);
    result.auth_plain |= name == "PLAIN";
    result.auth_login |= name == "LOGIN";
  }
}

void read_size(smtp_extensions& result, std::string_view limit) {
  result.size = true;
  auto word = next_word(limit);
  size_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc{} && end == word.data() + word.size())
    result.size_limit = value;
}

} // namespace

std::string smtp_reply::text() const {
  std::string result;
  for (const auto& line : lines) {
    if (!result.empty())
      result += '\n';
    result += line;
  }
  return result;
}

bool smtp_reply::is_consistent() const {
  return enhanced.empty() || enhanced[0] - '0' == severity();
}

smtp_parse_result parse_smtp_reply(std::string_view bytes) {
  smtp_parse_result result;
  auto malformed = [&] {
    result.state = smtp_parse_state::malformed;
    return result;
  };
  for (;;) {
    auto end = bytes.find('\n', result.consumed);
    auto line =
        bytes.substr(result.consumed, end == std::string_view::npos ? end : end - result.consumed);
    if (line.size() > max_line || result.consumed > max_reply)
      return malformed();
    if (end == std::string_view::npos)
      return result;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    auto is_last = false;
    if (!add_line(result.reply, line, is_last))
      return malformed();
    result.consumed = end + 1;
    if (is_last)
      break;
  }
  result.state = smtp_parse_state::complete;
  return result;
}

std::string smtp_queue_id(const smtp_reply& reply) {
  auto text = reply.text();
  for (std::string_view marker : {"QUEUED AS ", "ID="})
    if (auto id = word_after(text, marker); !id.empty())
      return id;
  // `250 Ok ID`: only if the id is all there is, else it may be any word of a sentence.
  std::string_view rest = text;
  rest.remove_prefix(reply.enhanced.size());
  auto ok = upper(next_word(rest));
  auto id = next_word(rest);
  auto is_id = id.size() >= 8 && std::any_of(id.begin(), id.end(), is_digit);
  return ok == "OK" && is_id && next_word(rest).empty() ? std::string{id} : std::string{};
}

smtp_extensions parse_smtp_extensions(const smtp_reply& ehlo) {
  smtp_extensions result;
  // The first line is the relay's name.
  for (size_t i = 1; i < ehlo.lines.size(); ++i) {
    std::string_view rest = ehlo.lines[i];
    auto word = upper(next_word(rest));
    if (word == "STARTTLS")
      result.starttls = true;
    else if (word == "SMTPUTF8")
      result.smtputf8 = true;
    else if (word == "SIZE")
      read_size(result, rest);
    else if (word == "AUTH")
      read_auth(result, rest);
    else if (word.starts_with("AUTH=")) // A form from before RFC 2554 that is still around.
      read_auth(result, ehlo.lines[i].substr(ehlo.lines[i].find('=') + 1));
  }
  return result;
}

} // namespace notify

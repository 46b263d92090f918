#include "tools/fake_provider/smtp_peer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace notify::fake {

namespace asio = boost::asio;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// More than this without a line end is not SMTP.
constexpr size_t longest_mail = 64u << 20u;

std::string undouble_dots(std::string_view data) {
  std::string result;
  result.reserve(data.size());
  auto is_line_start = true;
  for (auto x : data) {
    if (!is_line_start || x != '.')
      result += x;
    is_line_start = x == '\n';
  }
  return result;
}

std::string_view trim(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace

asio::awaitable<bool> smtp_peer::fill() {
  std::array<char, 8192> chunk{};
  auto [failed, count] = co_await socket_.async_read_some(asio::buffer(chunk), as_result);
  unread_.append(chunk.data(), count);
  co_return !failed && unread_.size() <= longest_mail;
}

asio::awaitable<std::optional<std::string>> smtp_peer::read_line() {
  for (;;) {
    auto end = unread_.find("\r\n");
    if (end != std::string::npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 2);
      co_return line;
    }
    auto more = co_await fill();
    if (!more)
      co_return std::nullopt;
  }
}

asio::awaitable<std::optional<std::string>> smtp_peer::read_mail() {
  constexpr std::string_view final_dot = "\r\n.\r\n";
  // The dot may be the first line: then the line end before it is that of DATA.
  unread_.insert(0, "\r\n");
  size_t searched = 0;
  for (;;) {
    auto end = unread_.find(final_dot, searched);
    if (end != std::string::npos) {
      auto data = end == 0 ? std::string{} : unread_.substr(2, end);
      unread_.erase(0, end + final_dot.size());
      co_return undouble_dots(data);
    }
    searched = unread_.size() - std::min(unread_.size(), final_dot.size() - 1);
    auto more = co_await fill();
    if (!more)
      co_return std::nullopt;
  }
}

asio::awaitable<bool> smtp_peer::say(std::string_view reply) {
  auto lines = reply_lines(reply);
  auto [failed, count] = co_await asio::async_write(socket_, asio::buffer(lines), as_result);
  co_return !failed;
}

std::string reply_lines(std::string_view reply) {
  auto code = std::string{reply.substr(0, 3)};
  std::string result;
  for (auto is_first = true;; is_first = false) {
    auto end = reply.find('\n');
    auto line = reply.substr(0, end);
    // The first line brings its own code, with or without a text behind it.
    if (is_first)
      line = line.size() > 4 ? line.substr(4) : std::string_view{};
    auto is_last = end == std::string_view::npos;
    result += code + (is_last ? ' ' : '-') + std::string{line} + "\r\n";
    if (is_last)
      return result;
    reply = reply.substr(end + 1);
  }
}

std::string header_field(std::string_view mail, std::string_view name) {
  auto prefix = std::string{name} + ':';
  while (!mail.empty() && !mail.starts_with("\r\n")) {
    // A field goes on as long as lines begin with a blank.
    size_t end = mail.find("\r\n");
    while (end != std::string_view::npos && end + 2 < mail.size()
           && (mail[end + 2] == ' ' || mail[end + 2] == '\t'))
      end = mail.find("\r\n", end + 2);
    auto field = mail.substr(0, end);
    if (is_command(field, prefix))
      return std::string{trim(field.substr(prefix.size()))};
    mail = end == std::string_view::npos ? std::string_view{} : mail.substr(end + 2);
  }
  return {};
}

std::string between_brackets(std::string_view text) {
  auto begin = text.find('<');
  if (begin == std::string_view::npos)
    return std::string{trim(text)};
  auto end = text.find('>', begin);
  return std::string{text.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1)};
}

bool is_command(std::string_view line, std::string_view word) {
  auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a))
           == std::toupper(static_cast<unsigned char>(b));
  };
  return line.size() >= word.size() && std::equal(word.begin(), word.end(), line.begin(), same);
}

} // namespace notify::fake

#include "tests/fake_provider/fixture.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <array>

namespace notify::fake::test {

namespace asio = boost::asio;

std::string post(const std::string& path, const std::string& body,
                 const std::string& more_headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n" + more_headers + "\r\n" + body;
}

std::string resend_mail(const std::string& key, const std::string& subject) {
  return post("/emails",
              R"({"from":"shop@example.com","to":["anna@example.com"],"subject":")" + subject
                  + R"(","text":"Hi"})",
              "Authorization: Bearer secret\r\nIdempotency-Key: " + key + "\r\n");
}

std::string telegram(const std::string& text) {
  return post("/bot12:token/sendMessage", R"({"chat_id":42,"text":")" + text + R"("})");
}

reply ask(uint16_t port, const std::string& bytes) {
  client x{port};
  x.send(bytes);
  return x.read();
}

mail_client::mail_client(uint16_t port) : socket_(io_) {
  socket_.connect({asio::ip::make_address("127.0.0.1"), port});
}

void mail_client::say(const std::string& line) {
  boost::system::error_code ignored;
  asio::write(socket_, asio::buffer(line + "\r\n"), ignored);
}

std::string mail_client::hear() {
  std::string result;
  for (;;) {
    auto end = unread_.find("\r\n");
    if (end == std::string::npos) {
      std::array<char, 4096> chunk{};
      boost::system::error_code failed;
      auto count = socket_.read_some(asio::buffer(chunk), failed);
      unread_.append(chunk.data(), count);
      was_reset_ = failed == asio::error::connection_reset;
      if (failed)
        return {};
      continue;
    }
    auto line = unread_.substr(0, end);
    unread_.erase(0, end + 2);
    result += (result.empty() ? "" : "|") + line;
    if (line.size() < 4 || line[3] != '-')
      return result;
  }
}

std::string mail_client::ask(const std::string& line) {
  say(line);
  return hear();
}

void mail_client::send_without_hearing(const std::string& id, const std::string& to) {
  hear();
  ask("EHLO test");
  ask("MAIL FROM:<shop@example.com>");
  ask("RCPT TO:<" + to + ">");
  ask("DATA");
  // The id is folded, as a mail program may do it; a line that begins with a dot is doubled.
  say("Subject: Hello\r\nMessage-ID:\r\n <" + id + "@test>\r\n\r\n..dot\r\n.");
}

std::string mail_client::send_mail(const std::string& id, const std::string& to) {
  send_without_hearing(id, to);
  return hear();
}

} // namespace notify::fake::test

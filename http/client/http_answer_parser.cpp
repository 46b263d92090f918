#include "http/client/http_answer_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace notify {

namespace wire = boost::beast::http;

namespace {

bool is_digit(char x) {
  return '0' <= x && x <= '9';
}

std::string_view to_std(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

} // namespace

int peek_status(std::string_view received) {
  constexpr std::string_view beginning = "HTTP/1.";
  auto line = received.substr(0, received.find("\r\n"));
  if (line.size() == received.size() || !line.starts_with(beginning))
    return 0;
  line.remove_prefix(beginning.size());
  // Now "1 200 OK"; the reason may be missing.
  if (line.size() < 5 || !is_digit(line[0]) || line[1] != ' '
      || !std::all_of(line.begin() + 2, line.begin() + 5, is_digit)
      || (line.size() > 5 && line[5] != ' '))
    return 0;
  return (line[2] - '0') * 100 + (line[3] - '0') * 10 + (line[4] - '0');
}

http_answer_parser::http_answer_parser(http_ticket& ticket, const http_answer_limits& limits,
                                       bool to_head)
    : ticket_(ticket), limits_(limits) {
  constexpr size_t most = std::numeric_limits<uint32_t>::max();
  header_limit(static_cast<uint32_t>(std::min(limits.head_size, most)));
  body_limit(boost::none);
  skip(to_head);
}

size_t http_answer_parser::take(std::string_view received, error_code& error) {
  size_t taken = 0;
  error = {};
  while (taken < received.size() && !is_done() && !error) {
    auto was_in_head = !is_header_done();
    auto count = put(boost::asio::buffer(received.data() + taken, received.size() - taken), error);
    taken += count;
    // The parser's own limit counts from the last line it consumed.
    if (was_in_head && (head_size_ += count) > limits_.head_size && !error)
      error = wire::error::header_limit;
    if (error == wire::error::need_more || (count == 0 && !error))
      break;
  }
  if (error == wire::error::need_more)
    error = {};
  auto unread = received.size() - taken;
  if (!error && !is_done() && (is_header_done() ? 0 : head_size_) + unread > limits_.head_size)
    error = wire::error::header_limit;
  return taken;
}

void http_answer_parser::on_response_impl(int status, view, int, error_code& error) {
  status_ = status;
  // Nobody asked for another protocol.
  if (status == 101 || status < 100)
    error = wire::error::bad_status;
}

void http_answer_parser::on_field_impl(field, view name, view value, error_code&) {
  // After the head these are trailers: nobody needs them.
  if (!is_header_done())
    headers_.emplace_back(std::string{to_std(name)}, std::string{to_std(value)});
}

void http_answer_parser::on_header_impl(error_code&) {
  if (is_interim())
    return;
  ticket_.set_status(status_);
  ticket_.set_headers(std::move(headers_));
}

size_t http_answer_parser::on_body_impl(view body, error_code& error) {
  if (!ticket_.add_body(to_std(body), limits_.body_size))
    error = wire::error::body_limit;
  return body.size();
}

size_t http_answer_parser::on_chunk_body_impl(uint64_t, view body, error_code& error) {
  return on_body_impl(body, error);
}

} // namespace notify

#pragma once

#include "http/client/http_ticket.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <string_view>

namespace notify {

/// How much of an answer is read.
struct http_answer_limits {
  size_t head_size = 0;
  size_t body_size = 0;
};

/// The status of an answer's first line, as soon as that is all there; 0 if it is not, or is none.
int peek_status(std::string_view received);

/// Reads one answer into a ticket. Answers of class 1xx leave nothing there.
class http_answer_parser : public boost::beast::http::basic_parser<false> {
public:
  using error_code = boost::beast::error_code;

  /// `to_head`: the request was a HEAD, whose answer has no body whatever its headers say.
  http_answer_parser(http_ticket& ticket, const http_answer_limits& limits, bool to_head);

  /// Takes from `received` what it can; `error` is never `need_more`. The error `body_limit` means
  /// that the body is larger than it may be and what fits was kept.
  size_t take(std::string_view received, error_code& error);

  /// True for an answer that only announces another one.
  bool is_interim() const { return status_ / 100 == 1; }
  int status() const { return status_; }

private:
  using view = boost::beast::string_view;
  using field = boost::beast::http::field;

  void on_request_impl(boost::beast::http::verb, view, view, int, error_code&) override {}
  void on_response_impl(int status, view reason, int version, error_code& error) override;
  void on_field_impl(field, view name, view value, error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  size_t on_body_impl(view body, error_code& error) override;
  void on_chunk_header_impl(uint64_t, view, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t remain, view body, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  http_ticket& ticket_;
  const http_answer_limits limits_;
  http_headers headers_;
  size_t head_size_ = 0;
  int status_ = 0;
};

} // namespace notify

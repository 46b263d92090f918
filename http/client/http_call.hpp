#pragma once

#include "http/client/http_answer_parser.hpp"
#include "http/client/http_client_core.hpp"
#include "http/client/http_ticket.hpp"
#include "http/client/http_url.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <caf/timespan.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// One request on its way: finds a connection, writes, reads, and gives the connection back or
/// closes it. Everything runs on a strand of its own; `stop` may come from any thread. Kept alive
/// by its work, so it ends with the `io_context` at the latest.
class http_call : public std::enable_shared_from_this<http_call> {
public:
  struct plan {
    http_url url;
    bool is_head = false; ///< Its answer has no body.
    caf::timespan deadline{0};
  };

  http_call(std::shared_ptr<http_client_core> core, plan what, std::shared_ptr<http_ticket> ticket);
  ~http_call();

  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

  void start();

  /// Answers at once by the phase that was reached, and lets go of the connection.
  void stop();

private:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;
  using error_code = boost::system::error_code;
  using address = boost::asio::ip::address;
  using strand_type = boost::asio::strand<boost::asio::io_context::executor_type>;

  /// Why a step failed.
  struct trouble {
    http_event event = http_event::failed;
    std::string text;
  };

  /// Empty if the step worked.
  using step = std::optional<trouble>;

  /// A lookup that may still run when nobody waits for it any more.
  struct pending_lookup {
    explicit pending_lookup(const strand_type& strand) : timer(strand) {}

    boost::asio::steady_timer timer;
    host_lookup result;
    bool is_done = false;
  };

  static trouble interrupted() { return {http_event::failed, "interrupted"}; }

  awaitable<void> run();
  awaitable<step> attempt();

  // http_call_opening.cpp
  awaitable<step> open();
  awaitable<step> find_addresses(std::vector<address>& found);
  awaitable<step> look_up(host_lookup& found);
  awaitable<step> connect(const std::vector<address>& addresses);
  awaitable<step> connect_to(const address& where, caf::timespan limit);
  awaitable<step> start_tls();

  /// Writes and reads at once, since an answer may come before the request is complete.
  awaitable<step> exchange(bool is_reused);
  awaitable<step> write();
  awaitable<step> read();

  /// Reads to the answer's last byte.
  awaitable<step> read_answer();
  awaitable<step> read_more();
  step parse();
  step on_end(const error_code& error);
  void begin_answer();

  void conclude(const step& end);
  bool is_reusable() const;
  void on_exit(const std::exception_ptr& error);

  void arm_deadline();
  void on_deadline();

  /// Closes the connection if the step that begins now takes longer.
  void limit_step(caf::timespan limit);

  /// True if the step was in time.
  bool end_step();

  /// Ends whatever waits. No further step begins.
  void abort();

  const std::shared_ptr<http_client_core> core_;
  const plan plan_;
  const std::shared_ptr<http_ticket> ticket_;
  const strand_type strand_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer step_limit_;
  uint64_t step_ = 0;
  bool is_step_late_ = false;
  bool is_aborted_ = false;
  std::shared_ptr<pending_lookup> lookup_;
  std::shared_ptr<http_connection> connection_;
  std::optional<http_answer_parser> parser_;
  std::string unread_;
};

} // namespace notify

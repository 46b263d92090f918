#include "persistence/job_listener.hpp"

#include "messages/error.hpp"
#include "persistence/call_deadline.hpp"
#include "persistence/conninfo.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <chrono>
#include <utility>

namespace notify {

namespace {

using result_ptr = std::unique_ptr<PGresult, decltype(&PQclear)>;
using notify_ptr = std::unique_ptr<PGnotify, decltype(&PQfreemem)>;

void ignore_notice(void*, const PGresult*) {}

// No text of the server: it may name hosts and users.
caf::error unavailable(const char* what) {
  return caf::make_error(ec::storage_unavailable, std::string{what});
}

} // namespace

void pg_notice_line::closer::operator()(pg_conn* x) const {
  PQfinish(x);
}

pg_notice_line::pg_notice_line(postgres_config config, std::string channel, bool listens,
                               caf::timespan limit)
    : config_(std::move(config)), channel_(std::move(channel)), listens_(listens), limit_(limit) {}

pg_notice_line::~pg_notice_line() = default;

caf::expected<pg_notice_line::connection_ptr> pg_notice_line::connect(const char* role) const {
  auto conninfo = make_conninfo(config_, role);
  if (!conninfo)
    return conninfo.error();
  connection_ptr result{PQconnectdb(conninfo->c_str())};
  if (PQstatus(result.get()) != CONNECTION_OK)
    return unavailable("no connection for notices");
  PQsetNoticeReceiver(result.get(), ignore_notice, nullptr);
  return result;
}

caf::error pg_notice_line::open() {
  auto mouth = connect("notify");
  if (!mouth)
    return mouth.error();
  mouth_ = std::move(*mouth);
  if (!listens_)
    return caf::none;
  auto ears = connect("listen");
  if (!ears)
    return ears.error();
  ears_ = std::move(*ears);
  std::unique_ptr<char, decltype(&PQfreemem)> name{
      PQescapeIdentifier(ears_.get(), channel_.data(), channel_.size()), &PQfreemem};
  return command(ears_.get(), ("listen " + std::string{name.get()}).c_str(), {});
}

void pg_notice_line::close() {
  ears_.reset();
  mouth_.reset();
}

caf::error pg_notice_line::say(const std::string& text) {
  if (!mouth_)
    return unavailable("the line for notices is closed");
  return command(mouth_.get(), "select pg_notify($1, $2)", {channel_, text});
}

caf::error pg_notice_line::command(pg_conn* on, const char* text,
                                   const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const auto& x : values)
    pointers.push_back(x.c_str());
  result_ptr result{nullptr, &PQclear};
  {
    call_deadline deadline{PQsocket(on), limit_};
    result.reset(PQexecParams(on, text, static_cast<int>(values.size()), nullptr, pointers.data(),
                              nullptr, nullptr, 0));
  }
  auto status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
    return caf::none;
  const auto* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  auto code = state != nullptr ? "SQLSTATE " + std::string{state} : std::string{"no answer"};
  if (PQstatus(on) != CONNECTION_OK)
    close();
  return caf::make_error(ec::storage_unavailable, std::move(code));
}

caf::expected<std::vector<notice_line::notice>> pg_notice_line::hear(caf::timespan limit,
                                                                     int wake) {
  auto notices = take_notices();
  if (!notices.empty())
    return notices;
  // Without a connection that listens it still waits for the signal.
  pollfd sources[] = {{ears_ ? PQsocket(ears_.get()) : -1, POLLIN, 0}, {wake, POLLIN, 0}};
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  poll(sources, 2, static_cast<int>(ms));
  if (!ears_ || sources[0].revents == 0)
    return notices;
  if (PQconsumeInput(ears_.get()) == 0 || PQstatus(ears_.get()) != CONNECTION_OK) {
    close();
    return unavailable("the connection for notices broke");
  }
  return take_notices();
}

std::vector<notice_line::notice> pg_notice_line::take_notices() {
  std::vector<notice> result;
  if (!ears_)
    return result;
  auto own = mouth_ ? PQbackendPID(mouth_.get()) : 0;
  while (true) {
    notify_ptr next{PQnotifies(ears_.get()), &PQfreemem};
    if (!next)
      return result;
    result.push_back({next->extra, next->be_pid == own});
  }
}

} // namespace notify

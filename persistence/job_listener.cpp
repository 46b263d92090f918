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

caf::error pg_notice_line::open() {
  auto conninfo = make_conninfo(config_, "listen");
  if (!conninfo)
    return conninfo.error();
  connection_.reset(PQconnectdb(conninfo->c_str()));
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    close();
    return unavailable("no connection for notices");
  }
  PQsetNoticeReceiver(connection_.get(), ignore_notice, nullptr);
  if (!listens_)
    return caf::none;
  auto name = std::unique_ptr<char, decltype(&PQfreemem)>{
      PQescapeIdentifier(connection_.get(), channel_.data(), channel_.size()), &PQfreemem};
  return command(("listen " + std::string{name.get()}).c_str(), {});
}

void pg_notice_line::close() {
  connection_.reset();
}

caf::error pg_notice_line::say(const std::string& text) {
  return command("select pg_notify($1, $2)", {channel_, text});
}

caf::error pg_notice_line::command(const char* text, const std::vector<std::string>& values) {
  if (!connection_)
    return unavailable("the line for notices is closed");
  auto* connection = connection_.get();
  std::vector<const char*> pointers;
  for (const auto& x : values)
    pointers.push_back(x.c_str());
  result_ptr result{nullptr, &PQclear};
  {
    call_deadline deadline{PQsocket(connection), limit_};
    result.reset(PQexecParams(connection, text, static_cast<int>(values.size()), nullptr,
                              pointers.data(), nullptr, nullptr, 0));
  }
  auto status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
    return caf::none;
  const auto* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  auto code = state != nullptr ? std::string{state} : std::string{"no answer"};
  if (PQstatus(connection) != CONNECTION_OK)
    close();
  return caf::make_error(ec::storage_unavailable, "SQLSTATE " + code);
}

caf::expected<std::vector<notice_line::notice>> pg_notice_line::hear(caf::timespan limit,
                                                                     int wake) {
  auto notices = take_notices();
  if (!notices.empty())
    return notices;
  // Without a connection it still waits for the signal.
  pollfd sources[] = {{connection_ ? PQsocket(connection_.get()) : -1, POLLIN, 0},
                      {wake, POLLIN, 0}};
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  poll(sources, 2, static_cast<int>(ms));
  if (!connection_ || sources[0].revents == 0)
    return notices;
  if (PQconsumeInput(connection_.get()) == 0 || PQstatus(connection_.get()) != CONNECTION_OK) {
    close();
    return unavailable("the connection for notices broke");
  }
  return take_notices();
}

std::vector<notice_line::notice> pg_notice_line::take_notices() {
  std::vector<notice> result;
  if (!connection_)
    return result;
  auto own = PQbackendPID(connection_.get());
  while (true) {
    notify_ptr next{PQnotifies(connection_.get()), &PQfreemem};
    if (!next)
      return result;
    result.push_back({next->extra, next->be_pid == own});
  }
}

} // namespace notify

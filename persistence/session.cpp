#include "persistence/session.hpp"

#include "messages/error.hpp"
#include "persistence/conninfo.hpp"

#include <soci/postgresql/soci-postgresql.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <sstream>
#include <thread>

namespace notify {

namespace {

soci::postgresql_session_backend& backend_of(soci::session& x) {
  return *static_cast<soci::postgresql_session_backend*>(x.get_backend());
}

std::string milliseconds(caf::timespan x) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(x).count());
}

// By query, not by start-up packet, so that a pooler in session mode lets it through.
std::string settings_query(const postgres_config& config, planner how) {
  std::ostringstream query;
  query << "select set_config('TimeZone', 'UTC', false)";
  auto set = [&](std::string_view name, std::string_view value) {
    query << ", set_config('" << name << "', '" << value << "', false)";
  };
  set("statement_timeout", milliseconds(config.statement_timeout));
  set("lock_timeout", milliseconds(config.lock_timeout));
  set("idle_in_transaction_session_timeout", milliseconds(config.idle_in_transaction_timeout));
  set("DateStyle", "ISO");
  set("bytea_output", "hex");
  set("jit", "off");
  // Every statement expects a snapshot of its own.
  set("default_transaction_isolation", "read committed");
  if (how == planner::by_key) {
    set("plan_cache_mode", "force_custom_plan");
    set("enable_seqscan", "off");
    set("enable_bitmapscan", "off");
  }
  // Offsets are committed after our COMMIT: it must have reached the disk.
  query << ", case current_setting('synchronous_commit') when 'off' "
           "then set_config('synchronous_commit', 'on', false) end";
  return query.str();
}

void ignore_notice(void*, const PGresult*) {}

/// For giving a prepared statement back before a connection ends.
constexpr caf::timespan farewell_limit = std::chrono::seconds{2};

/// SOCI talks to the server before anybody can get at the socket. So it connects on a thread of its
/// own, which is left behind if the server falls silent in between, and ends when that connection
/// does.
std::unique_ptr<soci::session> open_connection(const std::string& conninfo, caf::timespan limit) {
  std::packaged_task<std::unique_ptr<soci::session>()> task{
      [conninfo] { return std::make_unique<soci::session>(soci::postgresql, conninfo); }};
  auto result = task.get_future();
  std::thread helper{std::move(task)};
  if (limit.count() > 0 && result.wait_for(limit) == std::future_status::timeout) {
    helper.detach();
    throw connect_failure{"the server fell silent during the log-in"};
  }
  helper.join();
  return result.get();
}

} // namespace

session::session(postgres_config config, std::string role, planner how)
    : config_(std::move(config)), role_(std::move(role)), planner_(how),
      observer_(config_.observers ? config_.observers(role_) : nullptr) {}

session::~session() {
  disconnect();
}

int session::socket() const {
  return connection_ ? PQsocket(backend_of(*connection_).conn_) : -1;
}

caf::timespan session::call_limit() const {
  return 2 * config_.statement_timeout;
}

void session::ensure_connected() {
  if (connection_) {
    auto* connection = backend_of(*connection_).conn_;
    // Reads what the server said while nobody asked: a farewell, then the end of the stream.
    PQconsumeInput(connection);
    PQconsumeInput(connection);
    if (PQstatus(connection) != CONNECTION_OK)
      disconnect();
  }
  if (!connection_)
    connect();
}

void session::connect() {
  auto conninfo = make_conninfo(config_, role_);
  if (!conninfo)
    throw connect_failure{render(conninfo.error())};
  auto failed = [this] {
    if (observer_)
      observer_->on_connect_failed();
  };
  try {
    auto limit = call_limit();
    if (limit.count() > 0)
      limit += config_.connect_timeout;
    connection_ = open_connection(*conninfo, limit);
    if (observer_)
      observer_->on_connected();
    auto* connection = backend_of(*connection_).conn_;
    // DETAIL and CONTEXT quote values.
    PQsetErrorVerbosity(connection, PQERRORS_TERSE);
    PQsetErrorContextVisibility(connection, PQSHOW_CONTEXT_NEVER);
    PQsetNoticeReceiver(connection, ignore_notice, nullptr);
    call_deadline deadline{socket(), call_limit()};
    *connection_ << settings_query(config_, planner_);
  } catch (const connect_failure&) {
    failed();
    throw;
  } catch (const soci::soci_error& x) {
    failed();
    disconnect();
    // SOCI's own sentence fills the first line if libpq failed.
    auto message = x.get_error_message();
    if (message.starts_with("Cannot establish connection"))
      message.erase(0, message.find('\n') + 1);
    throw connect_failure{message};
  }
}

bool session::is_idle() const {
  auto* connection = backend_of(*connection_).conn_;
  return PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) == PQTRANS_IDLE;
}

// Called from a handler, so that what is not ours can go on.
caf::error session::recover(const std::exception& x) {
  auto reason = classify(x);
  if (reason == ec::crashed) {
    disconnect();
    throw;
  }
  if (connection_ && (reason == ec::storage_unavailable || !is_idle()))
    disconnect();
  forget_statements(); // One of them stopped half-way, or its plan is out of date.
  return reason;
}

void session::run_script(const std::string& text) {
  auto* connection = backend_of(*connection_).conn_;
  std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(connection, text.c_str()), &PQclear};
  auto status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY)
    return;
  auto* sqlstate = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  throw soci::postgresql_soci_error{PQerrorMessage(connection),
                                    sqlstate != nullptr ? sqlstate : "08000"};
}

void session::forget_statements() {
  // Each tells the server that it goes.
  auto limit = call_limit();
  call_deadline deadline{socket(), limit.count() > 0 ? std::min(limit, farewell_limit) : limit};
  statements_.clear();
}

void session::disconnect() {
  forget_statements();
  if (connection_ && observer_)
    observer_->on_disconnected();
  connection_.reset();
}

} // namespace notify

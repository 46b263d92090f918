#pragma once

#include "persistence/call_deadline.hpp"
#include "persistence/postgres_config.hpp"
#include "persistence/sql_error.hpp"

#include <caf/expected.hpp>

#include <soci/soci.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <unordered_map>

namespace notify {

/// What the planner may do.
enum class planner {
  /// For statements that reach every row by a key: no sequential and no bitmap scans, a new plan
  /// for each execution. Fresh, stale or missing statistics give the same plans.
  by_key,
  /// PostgreSQL's own settings, for migrations and lists.
  free,
};

/// One connection to PostgreSQL that comes back by itself. Not thread-safe; blocks, so it belongs
/// to a detached actor or a thread of its own.
///
/// The connection is made by the first call that needs it and again by the first call after it
/// broke. Nothing waits or repeats in here: pauses between attempts belong to the caller.
///
/// Every call ends within twice `statement_timeout`, whatever the server or the network does; see
/// `call_deadline`. Zero: no limit.
class session {
public:
  /// `role` completes the application name, e.g. `claim`.
  session(postgres_config config, std::string role, planner how = planner::by_key);

  session(const session&) = delete;
  session& operator=(const session&) = delete;

  ~session();

  /// Runs `f` on a live connection, outside of a transaction, and returns its value, or what its
  /// exception means. Other exceptions than the database layer's are bugs and go through.
  template <class F>
  caf::expected<std::invoke_result_t<F&>> run(F&& f) {
    try {
      ensure_connected();
      call_deadline deadline{socket(), call_limit()};
      call_report report{observer_.get()};
      return f();
    } catch (const std::exception& x) {
      return recover(x);
    }
  }

  /// The connection. Valid inside of `run` only.
  soci::session& sql() { return *connection_; }

  /// The statement object of this type, prepared on this connection: `Statement` is constructible
  /// from `soci::session&` and these arguments, and keeps its variables where SOCI bound them. One
  /// session always asks with the same arguments. Valid inside of `run`.
  template <class Statement, class... Args>
  Statement& prepared(const Args&... args) {
    auto& slot = statements_[typeid(Statement)];
    if (!slot)
      slot = std::make_shared<Statement>(*connection_, args...);
    return *static_cast<Statement*>(slot.get());
  }

  /// Runs a text of several statements as it is, nothing bound. Inside of `run` only.
  void run_script(const std::string& text);

  /// Closes the connection; the next call makes a new one.
  void disconnect();

private:
  /// Tells the observer of one call, however it ends.
  struct call_report {
    session_observer* observer;
    int exceptions = std::uncaught_exceptions();
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

    ~call_report() {
      if (observer != nullptr)
        observer->on_call(std::chrono::steady_clock::now() - begin,
                          std::uncaught_exceptions() > exceptions);
    }
  };

  void ensure_connected();
  void connect();
  caf::error recover(const std::exception& x);
  bool is_idle() const;
  int socket() const;
  caf::timespan call_limit() const;
  void forget_statements();

  postgres_config config_;
  std::string role_;
  planner planner_;
  std::shared_ptr<session_observer> observer_;
  std::unique_ptr<soci::session> connection_;
  // Declared after the connection: a statement must go first.
  std::unordered_map<std::type_index, std::shared_ptr<void>> statements_;
};

/// Runs `f` in a transaction and returns its value once COMMIT was confirmed. Leaves by rollback
/// on every error. PostgreSQL answers COMMIT in a failed transaction with a silent ROLLBACK, and
/// SOCI does not look at the answer, so a last statement checks that the transaction still lives:
/// an error that `f` swallowed is reported, never committed around.
///
/// If the answer to COMMIT is lost the outcome is unknown and the error is `storage_unavailable`:
/// treat it as not committed; every write of ours may be repeated.
template <class F>
caf::expected<std::invoke_result_t<F&>> run_transaction(session& db, F&& f) {
  return db.run([&] {
    soci::transaction transaction{db.sql()};
    auto result = f();
    db.sql() << "select 1";
    transaction.commit();
    return result;
  });
}

} // namespace notify

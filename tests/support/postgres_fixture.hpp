#pragma once

#include "persistence/postgres_config.hpp"

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace notify::test {

/// A fresh, migrated database on the server that NOTIFY_TEST_POSTGRES names; dropped at the end,
/// whoever is connected. Made from a template, which the first test on a server prepares for all.
class postgres_fixture {
public:
  enum class schema { migrated, empty };

  using rows = std::vector<std::vector<std::string>>;

  explicit postgres_fixture(schema wanted = schema::migrated);

  /// On another server than the shared one; `server_of_its_own` names a superuser's database.
  explicit postgres_fixture(const std::string& server_of_its_own, schema wanted = schema::migrated);

  ~postgres_fixture();

  postgres_fixture(const postgres_fixture&) = delete;
  postgres_fixture& operator=(const postgres_fixture&) = delete;

  /// The URL of the fresh database.
  const std::string& url() const { return url_; }

  const std::string& name() const { return name_; }

  /// What stores and actors take; short time-outs.
  postgres_config config() const;

  /// Runs SQL on a connection of the fixture's own, in the database, and returns the rows of the
  /// last statement as text; NULL is "NULL". Throws std::runtime_error if the server refuses.
  rows query(const std::string& sql);

  /// The single value of `query(sql)`.
  std::string value(const std::string& sql);

  /// After the server was stopped: makes the fixture's own connection again.
  void reconnect();

  /// Ends the connections of a session role, e.g. `claim`, and returns how many there were.
  int terminate(const std::string& role);

private:
  std::string server_url_;
  std::string name_;
  std::string url_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{nullptr, &PQfinish};
};

/// One more raw connection, e.g. to hold a lock.
class raw_connection {
public:
  explicit raw_connection(const std::string& url);

  /// As `postgres_fixture::query`.
  postgres_fixture::rows query(const std::string& sql);

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

} // namespace notify::test

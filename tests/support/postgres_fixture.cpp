#include "tests/support/postgres_fixture.hpp"

#include "messages/error.hpp"
#include "messages/uuid.hpp"
#include "persistence/migrator.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>

namespace notify::test {

namespace {

using owned_connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

owned_connection connect(const std::string& url) {
  owned_connection result{PQconnectdb(url.c_str()), &PQfinish};
  if (PQstatus(result.get()) != CONNECTION_OK)
    throw std::runtime_error{PQerrorMessage(result.get())};
  PQsetNoticeReceiver(
      result.get(), [](void*, const PGresult*) {}, nullptr);
  return result;
}

postgres_fixture::rows run(PGconn* connection, const std::string& sql) {
  std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(connection, sql.c_str()), &PQclear};
  auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
    throw std::runtime_error{PQerrorMessage(connection)};
  postgres_fixture::rows rows;
  for (int i = 0; i < PQntuples(result.get()); ++i) {
    auto& row = rows.emplace_back();
    for (int k = 0; k < PQnfields(result.get()); ++k)
      row.emplace_back(PQgetisnull(result.get(), i, k) ? "NULL" : PQgetvalue(result.get(), i, k));
  }
  return rows;
}

std::string server_url() {
  auto* url = std::getenv("NOTIFY_TEST_POSTGRES");
  if (url == nullptr || *url == '\0')
    throw std::runtime_error{"NOTIFY_TEST_POSTGRES is not set: it names a superuser's database, "
                             "e.g. postgresql://postgres@127.0.0.1:5432/postgres"};
  return url;
}

// Same server and user, another database.
std::string with_database(std::string url, const std::string& name) {
  auto query = url.find('?');
  auto tail = query == std::string::npos ? std::string{} : url.substr(query);
  url.erase(std::min(query, url.size()));
  auto host = url.find("://");
  auto slash = host == std::string::npos ? std::string::npos : url.find('/', host + 3);
  if (slash == std::string::npos)
    throw std::runtime_error{"NOTIFY_TEST_POSTGRES must be a URL with a database"};
  return url.substr(0, slash + 1) + name + tail;
}

std::string template_name() {
  std::string checksums;
  for (auto& x : embedded_migrations())
    checksums += x.checksum;
  return "notify_template_" + std::to_string(std::hash<std::string>{}(checksums));
}

// Test processes run side by side: the first one makes the template, under a lock, and marks it
// as a template when it is complete.
void ensure_template(PGconn* server, const std::string& url) {
  auto name = template_name();
  run(server, "select pg_advisory_lock(60771)");
  if (run(server, "select 1 from pg_database where datistemplate and datname = '" + name + "'")
          .empty()) {
    run(server, "drop database if exists " + name + " with (force)");
    run(server, "create database " + name);
    postgres_config config;
    config.url = with_database(url, name);
    if (auto report = migrate(config); !report)
      throw std::runtime_error{render(report.error())};
    // Without connections no autovacuum worker gets in the way of copies.
    run(server, "alter database " + name + " with is_template true allow_connections false");
  }
  run(server, "select pg_advisory_unlock(60771)");
}

} // namespace

postgres_fixture::postgres_fixture(schema wanted) : postgres_fixture(server_url(), wanted) {}

postgres_fixture::postgres_fixture(const std::string& server_of_its_own, schema wanted)
    : server_url_(server_of_its_own) {
  auto server = connect(server_url_);
  auto id = to_string(uuid::random());
  name_ = "notify_test_" + id.substr(0, 8) + id.substr(24);
  auto source = std::string{"template0"};
  if (wanted == schema::migrated) {
    ensure_template(server.get(), server_url_);
    source = template_name();
  }
  run(server.get(), "create database " + name_ + " template " + source);
  url_ = with_database(server_url_, name_);
  connection_ = connect(url_);
}

postgres_fixture::~postgres_fixture() {
  connection_.reset();
  try {
    run(connect(server_url_).get(), "drop database if exists " + name_ + " with (force)");
  } catch (const std::exception&) {
    // The server is gone, and with it the database.
  }
}

postgres_config postgres_fixture::config() const {
  postgres_config result;
  result.url = url_;
  result.application_name = "test";
  return result;
}

postgres_fixture::rows postgres_fixture::query(const std::string& sql) {
  return run(connection_.get(), sql);
}

std::string postgres_fixture::value(const std::string& sql) {
  return query(sql).at(0).at(0);
}

void postgres_fixture::reconnect() {
  connection_ = connect(url_);
}

int postgres_fixture::terminate(const std::string& role) {
  return std::stoi(value("select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity "
                         "where datname = current_database() and application_name = 'test/"
                         + role + "'"));
}

raw_connection::raw_connection(const std::string& url) : connection_(connect(url)) {}

postgres_fixture::rows raw_connection::query(const std::string& sql) {
  return run(connection_.get(), sql);
}

} // namespace notify::test

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace notify::test {

/// A server of one test's own, that it may stop, freeze and start again. Started as tools/dev/test
/// starts the shared ones. Gone at destruction, and soon after the test's process if that dies.
class private_server {
public:
  private_server(const private_server&) = delete;
  private_server& operator=(const private_server&) = delete;

  /// Ready when it returns. On the same data and port if it was stopped.
  void start();

  /// Stops it in order: a fast shutdown, clients are disconnected.
  void stop();

  /// Stands still: connections stay, nothing is answered.
  void freeze() const { signal(true); }

  void thaw() const { signal(false); }

  uint16_t port() const { return port_; }

protected:
  explicit private_server(std::string kind);
  ~private_server();

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
  void call(const std::string& verb) const;
  void signal(bool freeze) const;

  std::string kind_;
  std::filesystem::path folder_;
  uint16_t port_ = 0;
};

/// PostgreSQL. Fresh, with the superuser `postgres`.
class private_postgres : public private_server {
public:
  private_postgres() : private_server("postgres") { start(); }

  /// For `postgres_fixture`.
  std::string url() const { return "postgresql://postgres@" + address() + "/postgres"; }
};

/// Apache Kafka.
class private_kafka : public private_server {
public:
  private_kafka() : private_server("kafka") { start(); }

  std::string brokers() const { return address(); }
};

} // namespace notify::test

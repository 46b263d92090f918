#pragma once

#include "persistence/postgres_config.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace notify {

/// Says and hears short notices between processes. Not thread-safe; blocks.
class notice_line {
public:
  struct notice {
    std::string text;
    bool is_own = false; ///< Said by this very line.
  };

  virtual ~notice_line() = default;

  virtual bool is_open() const = 0;

  /// Connects, and hears from now on if it is meant to.
  virtual caf::error open() = 0;
  virtual void close() = 0;

  /// Says something to everybody who listens, this line included. After an error it may be open
  /// still: the server's queue of notices may be full.
  virtual caf::error say(const std::string& text) = 0;

  /// Waits until there is a notice, `wake` is readable, or the time is over.
  virtual caf::expected<std::vector<notice>> hear(caf::timespan limit, int wake) = 0;
};

using notice_line_ptr = std::shared_ptr<notice_line>;

/// LISTEN and NOTIFY. Never in a transaction: a session that listens and stays in one would keep
/// the server's queue from shrinking, until every NOTIFY of everybody fails.
///
/// One connection listens and another one speaks. A pooler in transaction mode takes the LISTEN and
/// then delivers nothing; only a notice that was said elsewhere tells.
class pg_notice_line : public notice_line {
public:
  /// `listens`: false for one that only says. `limit`: for one answer of the server.
  pg_notice_line(postgres_config config, std::string channel, bool listens, caf::timespan limit);
  ~pg_notice_line() override;

  bool is_open() const override { return mouth_ != nullptr; }
  caf::error open() override;
  void close() override;
  caf::error say(const std::string& text) override;
  caf::expected<std::vector<notice>> hear(caf::timespan limit, int wake) override;

private:
  struct closer {
    void operator()(pg_conn* x) const;
  };

  using connection_ptr = std::unique_ptr<pg_conn, closer>;

  caf::expected<connection_ptr> connect(const char* role) const;
  caf::error command(pg_conn* on, const char* text, const std::vector<std::string>& values);
  std::vector<notice> take_notices();

  postgres_config config_;
  std::string channel_;
  bool listens_;
  caf::timespan limit_;
  connection_ptr ears_; ///< Null if it does not listen.
  connection_ptr mouth_;
};

} // namespace notify

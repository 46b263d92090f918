#pragma once

#include "persistence/dead_letter_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// Stored dead letters on PostgreSQL. What becomes of a letter in a replay is written by the ingest
/// store, in the transaction of its event.
class pg_dead_letter_store : public letter_relay_store, public dead_letter_store {
public:
  /// `role` completes the session's application name; `owner` names the holder of the relay's
  /// lease.
  explicit pg_dead_letter_store(const postgres_config& config, const std::string& role = "letters",
                                const uuid& owner = uuid::random());

  caf::expected<letter_batch> next_unpublished(int64_t after_id, letter_batch_size size,
                                               caf::timespan lease) override;
  caf::expected<uint64_t> mark_published(const std::vector<published_letter>& letters) override;
  caf::error release() override;

  caf::expected<std::vector<letter_info>> list(const letter_filter& filter,
                                               const letter_page& page) override;
  caf::expected<std::vector<letter_info>> find(const std::vector<int64_t>& ids) override;
  caf::expected<std::vector<stored_letter>> load(const std::vector<int64_t>& ids) override;
  caf::expected<int64_t> last_id() override;

private:
  bool take_lease(caf::timespan lease);

  session session_;
  std::string owner_;
};

} // namespace notify

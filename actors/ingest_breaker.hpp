#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// When refused records look like a broken producer or deployment of ours.
struct ingest_breaker_policy {
  bool enabled = true; ///< Off: every bad record becomes a dead letter, however many there are.
  double share = 0.2;  ///< More than this of the last `window` records, once there are as many.
  size_t window = 200;
  size_t row = 50; ///< So many one after another.
};

/// Keeps a broken deployment from emptying a topic into dead letters. It is asked before a batch is
/// stored, and told after. Shared by the inbox writers of one process, so that a batch which one of
/// them holds back does not slip through the next. Thread-safe.
class ingest_breaker {
public:
  explicit ingest_breaker(const ingest_breaker_policy& policy);

  /// Why these records must not be stored, after all that came before; nothing if they may. True
  /// in `verdicts` means that a record would be dead-lettered.
  std::optional<std::string> objection(const std::vector<bool>& verdicts) const;

  /// The records were stored.
  void stored(const std::vector<bool>& verdicts);

  /// True once for each place in a topic at which a batch is held back: for the log.
  bool is_news(const std::string& place);

private:
  /// The last records, oldest overwritten first.
  struct memory {
    std::vector<bool> ring;
    size_t next = 0;
    size_t seen = 0;
    size_t refused = 0; ///< Of those in the ring.
    size_t in_a_row = 0;

    void add(bool verdict);
  };

  std::optional<std::string> judge(const memory& x) const;

  ingest_breaker_policy policy_;
  mutable std::mutex mutex_;
  memory memory_;
  std::string last_place_;
};

} // namespace notify

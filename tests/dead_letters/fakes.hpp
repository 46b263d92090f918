#pragma once

#include "actors/dead_letter_relay.hpp"
#include "messages/error.hpp"
#include "persistence/dead_letter_store.hpp"
#include "persistence/ingest_store.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace notify::test {

/// Dead letters in memory, for relays and replays. Thread-safe as far as tests look at it.
class memory_letters : public letter_relay_store, public dead_letter_store {
public:
  void add(stored_letter x) {
    std::lock_guard lock{mutex_};
    letters_[x.info.id] = std::move(x);
  }

  stored_letter get(int64_t id) {
    std::lock_guard lock{mutex_};
    return letters_.at(id);
  }

  size_t unpublished() {
    std::lock_guard lock{mutex_};
    return static_cast<size_t>(std::count_if(letters_.begin(), letters_.end(), [](const auto& x) {
      return !x.second.info.published_us;
    }));
  }

  /// Applies what a replay found out, as the ingest store does.
  bool settle(const replayed_letter& fate) {
    std::lock_guard lock{mutex_};
    auto& x = letters_.at(fate.id).info;
    if (x.replayed_us)
      return false;
    ++x.replays;
    if (fate.accepted) {
      x.replayed_us = 1;
    } else {
      ++x.attempts;
      x.reason = fate.reason;
      x.detail = fate.detail;
    }
    return true;
  }

  caf::expected<letter_batch> next_unpublished(int64_t after_id, letter_batch_size size,
                                               caf::timespan) override {
    std::lock_guard lock{mutex_};
    ++reads;
    if (!available)
      return down();
    letter_batch result;
    if (other_relay) {
      result.standby = true;
      return result;
    }
    for (const auto& [id, x] : letters_)
      if (id > after_id && !x.info.published_us && result.letters.size() < size.letters)
        result.letters.push_back(x);
    return result;
  }

  caf::expected<uint64_t> mark_published(const std::vector<published_letter>& some) override {
    std::lock_guard lock{mutex_};
    if (!available || !takes_marks)
      return down();
    ++marks;
    for (const auto& x : some) {
      letters_.at(x.id).info.published_us = 1;
      letters_.at(x.id).info.publish_note = x.note;
    }
    return some.size();
  }

  caf::error release() override {
    std::lock_guard lock{mutex_};
    ++releases;
    return caf::none;
  }

  caf::expected<std::vector<letter_info>> list(const letter_filter& filter,
                                               const letter_page& page) override {
    std::lock_guard lock{mutex_};
    if (!available)
      return down();
    std::vector<letter_info> result;
    for (const auto& [id, x] : letters_)
      if (id > page.after_id && id < page.before_id && result.size() < page.limit
          && (filter.reason.empty() || filter.reason == x.info.reason)
          && (!filter.replayed || *filter.replayed == x.info.replayed_us.has_value()))
        result.push_back(x.info);
    return result;
  }

  caf::expected<std::vector<letter_info>> find(const std::vector<int64_t>& ids) override {
    std::lock_guard lock{mutex_};
    std::vector<letter_info> result;
    for (auto id : ids)
      if (letters_.contains(id))
        result.push_back(letters_[id].info);
    return result;
  }

  caf::expected<std::vector<stored_letter>> load(const std::vector<int64_t>& ids) override {
    std::lock_guard lock{mutex_};
    loads.push_back(ids.size());
    std::vector<stored_letter> result;
    for (auto id : ids)
      if (letters_.contains(id))
        result.push_back(letters_[id]);
    return result;
  }

  caf::expected<int64_t> last_id() override {
    std::lock_guard lock{mutex_};
    return letters_.empty() ? int64_t{0} : letters_.rbegin()->first;
  }

  void set(bool& which, bool value) {
    std::lock_guard lock{mutex_};
    which = value;
  }

  bool available = true;
  bool takes_marks = true;
  bool other_relay = false;
  size_t reads = 0;
  size_t marks = 0;
  size_t releases = 0;
  std::vector<size_t> loads;

private:
  static caf::error down() {
    return caf::make_error(ec::storage_unavailable, std::string{"switched off"});
  }

  std::mutex mutex_;
  std::map<int64_t, stored_letter> letters_;
};

/// What producers of a test do and saw; outlives each of them.
struct scripted_broker {
  using verdict = std::function<kafka::delivery_report(const kafka::outgoing_record&)>;

  std::vector<kafka::outgoing_record> taken; ///< What was acknowledged.
  size_t asked = 0;                          ///< Records that were handed to a producer.
  size_t producers = 0;
  bool silent = false;      ///< No report comes.
  bool broken = false;      ///< The current producer is fatal.
  verdict rule;             ///< Empty: everything is acknowledged.
  caf::error produce_error; ///< Of every `produce`.

  record_sender_factory factory();
};

class scripted_sender : public kafka::record_sender {
public:
  scripted_sender(scripted_broker& broker, kafka::report_handler on_report)
      : broker_(broker), on_report_(std::move(on_report)) {
    ++broker_.producers;
    broker_.broken = false;
  }

  caf::error produce(const kafka::outgoing_record& x) override {
    ++broker_.asked;
    if (broker_.produce_error)
      return broker_.produce_error;
    queue_.push_back(x);
    return caf::none;
  }

  void poll(caf::timespan) override {
    if (broker_.silent || broker_.broken)
      return;
    for (const auto& x : std::exchange(queue_, {})) {
      kafka::delivery_report report;
      report.result = kafka::delivery::acknowledged;
      if (broker_.rule)
        report = broker_.rule(x);
      report.token = x.token;
      if (report.result == kafka::delivery::acknowledged)
        broker_.taken.push_back(x);
      on_report_(report);
    }
  }

  caf::error fatal() const override {
    if (broker_.broken)
      return caf::make_error(ec::kafka_fatal, std::string{"scripted"});
    return caf::none;
  }

private:
  scripted_broker& broker_;
  kafka::report_handler on_report_;
  std::deque<kafka::outgoing_record> queue_;
};

inline record_sender_factory scripted_broker::factory() {
  return
      [this](
          kafka::report_handler on_report) -> caf::expected<std::unique_ptr<kafka::record_sender>> {
        return std::unique_ptr<kafka::record_sender>{
            std::make_unique<scripted_sender>(*this, std::move(on_report))};
      };
}

inline kafka::delivery_report success() {
  kafka::delivery_report x;
  x.result = kafka::delivery::acknowledged;
  return x;
}

/// A report of a failure with this code.
inline kafka::delivery_report failure(kafka::delivery result, rd_kafka_resp_err_t code) {
  kafka::delivery_report x;
  x.result = result;
  x.code = code;
  x.reason = rd_kafka_err2str(code);
  return x;
}

} // namespace notify::test

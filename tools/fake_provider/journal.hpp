#pragma once

#include "tools/fake_provider/script.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace notify::fake {

/// One request or mail, as far as it came.
struct record {
  uint64_t id = 0; ///< In order of arrival, from 1.
  protocol via = protocol::webhook;
  std::string recipient;
  std::string path;
  std::string key; ///< Idempotency-Key, webhook-id, or the mail's Message-ID without brackets.
  std::string body_hash;
  size_t body_bytes = 0;
  int64_t time_ms = 0; ///< Since 1970.
  size_t attempt = 0;  ///< The n-th under this key and recipient.
  bool accepted = false;
  bool replayed = false; ///< Got the first answer under its key; nothing was sent again.
  unsigned answered = 0; ///< HTTP status or SMTP code; 0: none.
  std::string state;     ///< open, waiting, answered, closed, reset, silent or gone.
  std::string problem;   ///< Why it was refused without a rule.
};

/// Sums of one key and recipient.
struct tally {
  protocol via = protocol::webhook;
  std::string key;
  std::string recipient;
  size_t requests = 0;
  size_t accepted = 0;
};

/// What came in. Keeps the last hundred thousand records and all tallies.
class journal {
public:
  /// Fills in id, time and attempt.
  record& begin(record x);

  /// The record with this id; null if it was dropped or cleared.
  record* find(uint64_t id);

  /// Counts the message as accepted.
  void accept(uint64_t id);

  void clear();

  const std::deque<record>& records() const { return records_; }
  std::vector<tally> tallies() const;
  size_t requests() const { return requests_; }
  size_t accepted() const { return accepted_; }

private:
  using tally_key = std::tuple<protocol, std::string, std::string>;

  std::deque<record> records_;
  std::map<tally_key, tally> tallies_;
  uint64_t last_id_ = 0;
  size_t requests_ = 0;
  size_t accepted_ = 0;
};

boost::json::object to_json(const record& x);
boost::json::object to_json(const tally& x);

} // namespace notify::fake

#pragma once

#include "tools/fake_provider/script.hpp"

#include <map>
#include <string>

namespace notify::fake {

/// The keys that Resend remembers, with what was sent under them and how it was answered.
class idempotency {
public:
  enum class verdict : uint8_t {
    fresh,    ///< Never seen: the caller accepts it and says `finish` when it is answered.
    repeated, ///< Same body, answered before: the first answer is said again.
    running,  ///< Same body, not answered yet.
    differs,  ///< Another body came under this key.
  };

  /// Looks a key up and, if it is fresh, marks it as running. An empty key is always fresh.
  verdict begin(const std::string& key, const std::string& body_hash);

  void finish(const std::string& key, http_answer answer);

  /// The first answer under a key that is `repeated`.
  const http_answer& answer(const std::string& key) const { return entries_.at(key).answer; }

  void clear() { entries_.clear(); }
  size_t size() const { return entries_.size(); }

private:
  struct entry {
    std::string body_hash;
    bool is_running = true;
    http_answer answer;
  };

  std::map<std::string, entry> entries_;
};

} // namespace notify::fake

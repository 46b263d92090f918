#include "tools/fake_provider/idempotency.hpp"

namespace notify::fake {

idempotency::verdict idempotency::begin(const std::string& key, const std::string& body_hash) {
  if (key.empty())
    return verdict::fresh;
  auto [found, is_new] = entries_.try_emplace(key, entry{body_hash, true, {}});
  if (is_new)
    return verdict::fresh;
  if (found->second.body_hash != body_hash)
    return verdict::differs;
  return found->second.is_running ? verdict::running : verdict::repeated;
}

void idempotency::finish(const std::string& key, http_answer answer) {
  auto found = entries_.find(key);
  if (found == entries_.end())
    return;
  found->second.is_running = false;
  found->second.answer = std::move(answer);
}

} // namespace notify::fake

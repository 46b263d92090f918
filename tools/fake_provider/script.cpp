#include "tools/fake_provider/script.hpp"

#include <algorithm>

namespace notify::fake {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool same_moment(moment rule, moment now) {
  return rule == now || (rule == moment::record && now == moment::request);
}

bool fits(const match& x, const sighting& y) {
  auto protocol_fits =
      x.protocols.empty()
      || std::find(x.protocols.begin(), x.protocols.end(), y.via) != x.protocols.end();
  return protocol_fits && contains(y.recipient, x.recipient) && contains(y.path, x.path)
         && contains(y.key, x.key) && (x.attempt == 0 || x.attempt == y.attempt);
}

} // namespace

std::string_view to_string(protocol x) {
  switch (x) {
  case protocol::resend:
    return "resend";
  case protocol::telegram:
    return "telegram";
  case protocol::webhook:
    return "webhook";
  case protocol::smtp:
    return "smtp";
  }
  return "unknown";
}

std::optional<action> script::pick(const sighting& x) {
  for (auto& rule : rules_) {
    if (!same_moment(rule.then.at, x.at) || !fits(rule.when, x))
      continue;
    ++rule.seen;
    if (rule.used >= rule.times || (rule.when.nth != 0 && rule.when.nth != rule.seen))
      continue;
    ++rule.used;
    return rule.then;
  }
  return std::nullopt;
}

bool accepts(const action& x) {
  if (x.accept)
    return *x.accept;
  if (x.at == moment::record)
    return true;
  if (x.what != deed::answer && x.what != deed::wait)
    return false;
  auto status_is_good = !x.answer || x.answer->status / 100 == 2;
  auto reply_is_good = x.reply.empty() || x.reply.front() == '2';
  return status_is_good && reply_is_good;
}

} // namespace notify::fake

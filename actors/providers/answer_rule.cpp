#include "actors/providers/answer_rule.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>

namespace notify {

const answer_rule* find_rule(std::span<const answer_rule> rules, int status, std::string_view name,
                             std::string_view text) {
  auto found = std::find_if(rules.begin(), rules.end(), [&](const answer_rule& x) {
    return x.only.empty() && x.first_status <= status && status <= x.last_status
           && (x.name.empty() || x.name == name) && boost::algorithm::icontains(text, x.text);
  });
  return found == rules.end() ? nullptr : &*found;
}

} // namespace notify

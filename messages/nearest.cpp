#include "messages/nearest.hpp"

#include <algorithm>
#include <cctype>

namespace notify {

namespace {

std::string lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Optimal string alignment distance, with three rows of its table.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      auto same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  auto wanted = lower(word);
  std::string best;
  // A third of the letters may be wrong; more than that is another word.
  auto limit = std::max<size_t>(1, wanted.size() / 3) + 1;
  for (const auto& choice : choices) {
    auto here = distance(wanted, lower(choice));
    if (here < limit) {
      limit = here;
      best = choice;
    }
  }
  return best;
}

} // namespace notify

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// The one of `choices` that `word` most likely stands for by the number of letters that are
/// wrong, missing, extra or swapped, ignoring case; empty if none comes near.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);

} // namespace notify

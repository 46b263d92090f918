#pragma once

#include <string>
#include <vector>

namespace notify {

/// Replaces each of `secrets` in a text of a provider by `***`, and drops the beginning of one
/// that the text was cut in. Call it before anything else shortens the text.
std::string redacted(std::string text, const std::vector<std::string>& secrets);

} // namespace notify

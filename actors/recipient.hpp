#pragma once

#include <string_view>

namespace notify {

/// What is wrong with `recipient` for `channel`, for people; empty if nothing is. Only what no
/// provider could ever deliver, or what could smuggle a header line, is wrong; the rest is the
/// provider's to judge. Channels named `email` or `email-…` take mail addresses.
std::string_view recipient_problem(std::string_view channel, std::string_view recipient);

} // namespace notify

#pragma once

#include "actors/providers/smtp_config.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Reads one rule of `smtp-overrides`:
///
///     CODE [ENHANCED] [TEXT] KIND [WAIT]
///
/// CODE is a reply code from 400 to 599, or `*` for any; ENHANCED is the start of an enhanced code
/// such as `5.7.`; TEXT is in single or double quotes; KIND is `retry`, `retry_after`, `permanent`
/// or `hold`; WAIT is a duration, behind `retry_after` and only there. A rule that would match
/// every refusal is refused. Answers what is wrong, in words that go on from the option's name;
/// nothing if `out` was filled.
std::optional<std::string> read_smtp_override(std::string_view text, smtp_override& out);

/// The rule as `read_smtp_override` takes it.
std::string smtp_override_text(const smtp_override& x);

} // namespace notify

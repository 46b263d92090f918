#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// An amount for people: `minor_units` (decimal digits, perhaps with a minus) of the ISO 4217
/// `currency`, in the way of `language`. No arithmetic, so any size is exact. English, also for
/// languages that are not known: `RUB 9,980.00`. Russian, with no-break spaces: `9 980,00 ₽`.
/// Nothing if `minor_units` is not an integer or `currency` not three letters.
std::optional<std::string> format_amount(std::string_view minor_units, std::string_view currency,
                                         std::string_view language);

} // namespace notify

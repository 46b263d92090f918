#pragma once

#include "tools/fake_provider/script.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify::fake {

/// An answer and whose it is.
struct named_action {
  protocol via;
  action then;
};

/// Answers of the real providers by name, e.g. `telegram_429`, so that a script need not spell
/// their bodies out. `retry_after` is in seconds and goes wherever that provider puts it. Nothing:
/// no such name.
std::optional<named_action> named_answer(std::string_view name, unsigned retry_after);

/// All names, for messages and the documentation's test.
std::vector<std::string> answer_names();

} // namespace notify::fake

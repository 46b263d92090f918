#pragma once

#include <chrono>
#include <functional>

namespace notify::test {

/// Polls `condition` until it holds; false after `limit`. For conditions in other processes or
/// threads: the limit only bounds a failing test.
bool eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = std::chrono::seconds{60});

} // namespace notify::test

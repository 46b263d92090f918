#pragma once

#include "messages/status.hpp"

#include <caf/fwd.hpp>

namespace notify {

/// Turns an exception that leaves a handler of `self` into `ec::crashed` with its text, so that
/// monitors learn why the actor ended. Call it once, first thing in a behaviour function.
void report_crashes(caf::scheduled_actor* self);

/// What every actor does with `crash_now`: throws std::runtime_error with the given reason.
[[noreturn]] void crash(const crash_now& order);

} // namespace notify

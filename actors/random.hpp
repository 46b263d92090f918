#pragma once

namespace notify {

/// Uniform in [0, 1), for jitter. Thread-safe; not for secrets.
double random_unit();

} // namespace notify

#pragma once

#include <string>
#include <string_view>

namespace notify {

/// The W3C trace context in `text` as version 00, or empty if it is not valid. Later versions are
/// read by their known prefix, of whose flags only `sampled` is known.
std::string read_traceparent(std::string_view text);

} // namespace notify

#pragma once

#include "messages/delivery.hpp"

#include <string>
#include <string_view>

namespace notify {

/// The template that needs no files: the event itself, for programs that receive it as a webhook.
inline constexpr std::string_view event_template_key = "event.v1";

/// `{"type":...,"timestamp":...,"data":...}`: the event's type and time, and its payload as the
/// producer wrote it, byte for byte, so that no digit of a number is lost. The payload must be a
/// JSON object.
std::string event_message(const delivery_job& job);

} // namespace notify

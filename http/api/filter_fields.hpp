#pragma once

#include "http/fields.hpp"
#include "messages/operator_notifications.hpp"

namespace notify::http {

/// The filter that a query or a body's member holds. Finish `from` afterwards.
notification_filter read_filter(fields& from);

} // namespace notify::http

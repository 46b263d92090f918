#pragma once

#include "messages/operator.hpp"

#include <boost/json/object.hpp>

namespace notify::http {

// What the desks answer, as http/openapi.yaml describes it.

boost::json::object notification_json(const notification_line& x);
boost::json::object history_json(const notification_history& x);
boost::json::object story_json(const notification_story& x);
boost::json::object event_story_json(const event_story& x);
boost::json::object acted_json(const notification_acted& x);

boost::json::object filter_json(const notification_filter& x);
boost::json::object operation_json(const operation_line& x);

boost::json::object dead_letter_json(const dead_letter_line& x);
boost::json::object dead_letter_story_json(const dead_letter_story& x);

boost::json::object audit_json(const audit_line& x);

} // namespace notify::http

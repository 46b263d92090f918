#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <string>

// Notifications and events of the HTTP interface for people.

namespace notify {

/// A line for each notification.
std::string notification_table(const boost::json::array& notifications);

/// One notification with its event, and what happened to it in order.
std::string notification_page(const boost::json::value& story);

/// An event and what became of each of its notifications.
std::string event_page(const boost::json::value& story);

} // namespace notify

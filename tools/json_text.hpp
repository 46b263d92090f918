#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

// Answers of the service's HTTP interface as text. Whatever an answer lacks counts as null.

namespace notify {

/// A member of an object; null if there is none, or if it is no object.
const boost::json::value& member(const boost::json::value& object, std::string_view name);

/// The items of a list; none if it is no list.
const boost::json::array& items_of(const boost::json::value& list);

/// A value for people: `-` for null and empty text, numbers in full, `yes` and `no`.
std::string shown(const boost::json::value& x);

/// `shown` of a member.
std::string shown(const boost::json::value& object, std::string_view name);

/// A member that is a time, without the parts of a second.
std::string shown_time(const boost::json::value& object, std::string_view name);

/// The members of an object as `name value, name value`; empty if there are none.
std::string shown_members(const boost::json::value& object);

/// A member's text; empty if it is none.
std::string text_of(const boost::json::value& object, std::string_view name);

} // namespace notify

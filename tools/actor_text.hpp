#pragma once

#include "messages/status.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string>

// The tree of actors for people and programs.

namespace notify {

/// A line for each actor, children below their supervisor and indented.
std::string actor_table(const actor_tree& tree);

/// In the form that the HTTP interface has for it.
boost::json::object to_json(const actor_tree& tree);

/// What moved between two looks: rates, and the counters that changed. Empty `before`: no rates
/// yet.
std::string top_table(const actor_tree& before, const actor_tree& now,
                      std::chrono::duration<double> passed);

} // namespace notify

#pragma once

#include "tools/api_client.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace notify::ctl {

/// Acts on all notifications that match `body`'s filter: counts them, asks unless `--yes`, starts
/// the operation and, with `--wait`, stays until it is over. `verb` is `retry` or `cancel`.
int act_on_many(const cli::arguments& from, streams io, const std::string& verb,
                boost::json::object body);

/// Watches an operation to its end and tells how far it is. The exit code: `failed` unless it is
/// done.
int wait_for_operation(api_client& client, const cli::arguments& from, streams io,
                       std::string_view name, const std::string& id);

/// One operation for people.
std::string operation_page(const boost::json::value& answer);

} // namespace notify::ctl

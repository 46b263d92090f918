#pragma once

#include "tools/api_client.hpp"

#include <boost/json/object.hpp>

#include <array>

namespace notify::ctl {

/// The filters of notifications; their names are those of the interface with dashes.
inline constexpr std::array filter_options = {
    cli::option{"status", "pending|processing|retry_wait|sent|dead|cancelled", "in this status",
                ""},
    cli::option{"channel", "NAME", "of this channel", ""},
    cli::option{"event-type", "TYPE", "of events of this type", ""},
    cli::option{"event-id", "ID", "of this event", ""},
    cli::option{"correlation-id", "ID", "of events with this correlation", ""},
    cli::option{"recipient", "TEXT", "to exactly this recipient", ""},
    cli::option{"error-code", "CODE", "whose last failure was this", ""},
    cli::option{"provider", "NAME", "whose last attempt this provider made", ""},
    cli::option{"created-from", "TIME", "created at this time or later", ""},
    cli::option{"created-to", "TIME", "created before this time", ""},
};

/// Those that are given, as parameters of the list.
api_query filter_query(const cli::arguments& from);

/// The same as the `filter` of an act on many.
boost::json::object filter_object(const cli::arguments& from);

} // namespace notify::ctl

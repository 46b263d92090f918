#pragma once

#include "actors/kafka/handles.hpp"

#include <caf/expected.hpp>

#include <map>
#include <string>

namespace notify::kafka {

/// librdkafka's properties by name.
using properties = std::map<std::string, std::string>;

/// Settings with these properties. `ec::invalid_config` names the property and what is wrong.
caf::expected<conf_ptr> make_conf(const properties& values);

/// Sends the client's own log lines and its error reports to our log. Call it before
/// `make_client`.
void log_through_service(rd_kafka_conf_t* conf);

/// A client of the given type. `ec::invalid_config` with librdkafka's reason if the settings do
/// not fit together.
caf::expected<client_ptr> make_client(rd_kafka_type_t type, conf_ptr conf);

/// An error for the rest of the service: `ec::kafka_fatal` if only a new client can help,
/// `ec::kafka_unavailable` otherwise, with the call's name and librdkafka's text.
caf::error make_kafka_error(rd_kafka_resp_err_t code, const std::string& call);

} // namespace notify::kafka

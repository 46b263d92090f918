#pragma once

#include "actors/kafka/handles.hpp"

#include <caf/expected.hpp>

#include <map>
#include <string>
#include <vector>

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

/// Both at once, with what happens in the client written to our log.
caf::expected<client_ptr> open_client(rd_kafka_type_t type, const properties& values);

/// The value of `bootstrap.servers`.
std::string join_brokers(const std::vector<std::string>& brokers);

/// Those that say how the cluster is reached (TLS, SASL, sockets), as opposed to how it is read:
/// what a client of another kind can take over from the consumer.
properties connection_properties(const properties& values);

/// What a consumer has that reads or asks, but is never a member of `group`.
properties guest_properties(const std::vector<std::string>& brokers, const std::string& group,
                            const properties& connection);

/// An error for the rest of the service: `ec::kafka_fatal` if only a new client can help,
/// `ec::kafka_unavailable` otherwise, with the call's name and librdkafka's text.
caf::error make_kafka_error(rd_kafka_resp_err_t code, const std::string& call);

} // namespace notify::kafka

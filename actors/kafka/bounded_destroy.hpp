#pragma once

#include <librdkafka/rdkafka.h>

namespace notify::kafka {

/// Destroys a consumer without closing it again. librdkafka 2.0.2 may block here for ever when a
/// broker does not answer, so this waits 1.5 s at most and then leaves the client to the
/// process's own end. Everything made from the client must be gone before.
void destroy_bounded(rd_kafka_t* client);

} // namespace notify::kafka

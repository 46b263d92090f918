#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>

// Owning pointers for librdkafka's objects. A client must outlive everything that was made from
// it: one forgotten list or message makes `rd_kafka_destroy` wait for ever.

namespace notify::kafka {

/// Calls a C function as a deleter, without room in the pointer.
template <auto Function>
struct destroy_with {
  template <class T>
  void operator()(T* x) const noexcept {
    Function(x);
  }
};

/// Producer, consumer or admin client. Its destruction blocks until the client's threads ended.
using client_ptr = std::unique_ptr<rd_kafka_t, destroy_with<rd_kafka_destroy>>;

/// Settings of a client to be. `rd_kafka_new` takes them over if it succeeds, and only then.
using conf_ptr = std::unique_ptr<rd_kafka_conf_t, destroy_with<rd_kafka_conf_destroy>>;

using message_ptr = std::unique_ptr<rd_kafka_message_t, destroy_with<rd_kafka_message_destroy>>;

using queue_ptr = std::unique_ptr<rd_kafka_queue_t, destroy_with<rd_kafka_queue_destroy>>;

using event_ptr = std::unique_ptr<rd_kafka_event_t, destroy_with<rd_kafka_event_destroy>>;

using topic_ptr = std::unique_ptr<rd_kafka_topic_t, destroy_with<rd_kafka_topic_destroy>>;

/// The result of a call that reports by object; null means success.
using error_ptr = std::unique_ptr<rd_kafka_error_t, destroy_with<rd_kafka_error_destroy>>;

/// Headers that no message has taken over yet.
using headers_ptr = std::unique_ptr<rd_kafka_headers_t, destroy_with<rd_kafka_headers_destroy>>;

using partition_list_ptr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                           destroy_with<rd_kafka_topic_partition_list_destroy>>;

using metadata_ptr =
    std::unique_ptr<const rd_kafka_metadata_t, destroy_with<rd_kafka_metadata_destroy>>;

using admin_options_ptr =
    std::unique_ptr<rd_kafka_AdminOptions_t, destroy_with<rd_kafka_AdminOptions_destroy>>;

using new_topic_ptr = std::unique_ptr<rd_kafka_NewTopic_t, destroy_with<rd_kafka_NewTopic_destroy>>;

} // namespace notify::kafka

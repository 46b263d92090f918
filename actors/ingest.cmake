# From Kafka to the inbox: the consumer, the writers and what they decide with.
add_library(notify_ingest STATIC
  batch_isolation.cpp
  consumer.cpp
  consumer_batches.cpp
  consumer_events.cpp
  inbox_writer.cpp
  ingest_plan.cpp
  record_buffer.cpp)
target_link_libraries(notify_ingest
  PUBLIC notify_actors notify_persistence notify_kafka Boost::json)
if(TARGET notify_policies)
  target_link_libraries(notify_ingest PUBLIC notify_policies)
endif()
target_precompile_headers(notify_ingest REUSE_FROM notify_pch)

# Decisions without input or output: what an event is, whom it concerns, what is said, and when a
# failed attempt is tried again.
find_path(KAINJOW_MUSTACHE_INCLUDE_DIR kainjow/mustache.hpp REQUIRED)

add_library(notify_policies STATIC
  circuit_breaker.cpp
  envelope.cpp
  envelope_reader.cpp
  event_message.cpp
  event_time.cpp
  job_id.cpp
  member_text.cpp
  money.cpp
  plain_number.cpp
  recipient.cpp
  record_headers.cpp
  render_context.cpp
  rendering.cpp
  retry_policy.cpp
  routes_file.cpp
  routing.cpp
  sha256.cpp
  strict_json.cpp
  template_folder.cpp
  template_part.cpp
  text_file.cpp
  traceparent.cpp
  utf8.cpp)
target_include_directories(notify_policies SYSTEM PRIVATE "${KAINJOW_MUSTACHE_INCLUDE_DIR}")
target_link_libraries(notify_policies
  PUBLIC notify_messages Boost::json
  PRIVATE OpenSSL::Crypto)
target_precompile_headers(notify_policies REUSE_FROM notify_pch)

#include "messages/operator_actors.hpp"
#include "messages/registration.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/message.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace notify {
namespace {

struct config : caf::actor_system_config {
  config() { register_messages(*this); }
};

/// What arrives at the other end of a connection, printed.
std::string transfer(caf::actor_system& system, const caf::message& original) {
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  if (auto err = sink(const_cast<caf::message&>(original)))
    return "not serialized: " + system.render(err);
  caf::message copy;
  caf::binary_deserializer source{system, bytes};
  if (auto err = source(copy))
    return "not deserialized: " + system.render(err);
  return to_string(copy);
}

const uuid id{0x0191f8a0b1c27d3eULL, 0x8f4a5b6c7d8e9f01ULL};

notification_filter filter() {
  notification_filter x;
  x.status = "dead";
  x.channel = "email";
  x.event_type = "order.paid.v1";
  x.recipient = "user@example.com";
  x.correlation_id = "c-1";
  x.error_code = "smtp_timeout";
  x.provider = "smtp";
  x.event_id = id;
  x.created_from_us = 1;
  x.created_to_us = 2;
  return x;
}

notification_line line() {
  notification_line x;
  x.id = id;
  x.event_id = id;
  x.event_type = "order.paid.v1";
  x.channel = "email";
  x.recipient = "user@example.com";
  x.template_key = "k";
  x.locale = "en";
  x.status = "dead";
  x.attempt_count = 1;
  x.failures = 2;
  x.reclaims = 3;
  x.interruptions = 4;
  x.unknowns = 5;
  x.redrives = 6;
  x.dead_reason = "attempts_exhausted";
  x.last_error_class = "retryable_provider_error";
  x.last_error_code = "smtp_timeout";
  x.provider = "smtp";
  x.provider_message_id = "m";
  x.created_us = 7;
  x.updated_us = 8;
  x.finished_us = 9;
  x.due_us = 10;
  return x;
}

attempt_line attempt() {
  attempt_line x;
  x.attempt_no = 1;
  x.started_us = 2;
  x.finished_us = 3;
  x.result = "sent";
  x.provider_status = 250;
  x.latency_ms = 4;
  x.bytes_sent = 5;
  x.idempotency_key = "key";
  return x;
}

event_line event() {
  event_line x;
  x.event_id = id;
  x.event_type = "order.paid.v1";
  x.producer = "shop";
  x.aggregate_id = "order";
  x.correlation_id = "c-1";
  x.traceparent = "00-1-2-01";
  x.occurred_us = 1;
  x.received_us = 2;
  x.topic = "orders";
  x.partition = 3;
  x.offset = 4;
  x.payload = "{}";
  x.payload_sha256 = "00";
  return x;
}

notification_history history() {
  return {line(), {attempt()}, true};
}

operation_line operation() {
  operation_line x;
  x.id = 1;
  x.kind = bulk_kind::cancel;
  x.filter = filter();
  x.fresh_key = true;
  x.status = "running";
  x.created_by = "ada";
  x.created_us = 2;
  x.updated_us = 3;
  x.matched = 4;
  x.done = 5;
  x.skipped = {{"sent", 6}};
  x.reached_us = 7;
  x.error = "e";
  return x;
}

dead_letter_line letter() {
  dead_letter_line x;
  x.id = 1;
  x.topic = "orders";
  x.partition = 2;
  x.offset = 3;
  x.timestamp_ms = 4;
  x.reason = "not_json";
  x.detail = "d";
  x.event_id = id;
  x.attempts = 5;
  x.published_us = 6;
  x.value_bytes = 7;
  x.headers = 8;
  return x;
}

list_dead_letters letters_wanted() {
  list_dead_letters x;
  x.reason = "not_json";
  x.topic = "orders";
  x.from_us = 1;
  x.published = true;
  x.replayed = false;
  x.limit = 5;
  x.cursor = "c";
  return x;
}

std::vector<caf::message> all_messages() {
  auto make = [](auto x) { return caf::make_message(std::move(x)); };
  return {make(filter()),
          make(list_notifications{filter(), 5, "c"}),
          make(line()),
          make(notification_page{{line()}, "n"}),
          make(attempt()),
          make(event()),
          make(history()),
          make(get_notification{id}),
          make(notification_story{history(), event()}),
          make(get_event{id}),
          make(event_story{id, caf::none, {history()}, true}),
          make(retry_notification{id, true, "ada"}),
          make(cancel_notification{id, "ada"}),
          make(notification_acted{line(), {"late_success"}}),
          make(preview_operation{bulk_kind::cancel, filter()}),
          make(operation_preview{1, 2, true}),
          make(start_operation{bulk_kind::cancel, filter(), true, "ada"}),
          make(operation()),
          make(list_operations{5, "c"}),
          make(operation_page{{operation()}, "n"}),
          make(get_operation{1}),
          make(cancel_operation{1, "ada"}),
          make(list_skipped{1, 5, "c"}),
          make(skipped_line{id, "sent"}),
          make(skipped_page{{{id, "sent"}}, "n"}),
          make(operation_stored{1}),
          make(operation_tick{2}),
          make(letters_wanted()),
          make(letter()),
          make(dead_letter_page{{letter()}, "n"}),
          make(get_dead_letter{1}),
          make(dead_letter_story{letter(), {"orders", 1, 2, 3, {true, "k"}, {}, {{"h", {}}}}}),
          make(replay_dead_letter{1, true, "ada"}),
          make(dead_letter_replayed{true, "refused", "not_json", 1}),
          make(list_audit{"ada", "a", "t", 5, "c"}),
          make(audit_line{1, 2, "ada", "a", "t", "{}"}),
          make(audit_page{{{1, 2, "ada", "a", "t", "{}"}}, "n"}),
          make(pause_channel{"email", true, "ada"}),
          make(get_pauses{}),
          make(pause_line{"email", 1, "ada"}),
          make(pause_list{{{"email", 1, "ada"}}}),
          make(std::vector{line()}),
          make(std::vector{attempt()}),
          make(std::vector{history()}),
          make(std::vector{operation()}),
          make(std::vector{skipped_line{id, "sent"}}),
          make(std::vector{letter()}),
          make(std::vector{audit_line{1, 2, "ada", "a", "t", "{}"}}),
          make(std::vector{pause_line{"email", 1, "ada"}})};
}

TEST_CASE("every operator's message survives CAF's serializer") {
  config cfg;
  caf::actor_system system{cfg};
  for (const auto& value : all_messages())
    CHECK(transfer(system, value) == to_string(value));
}

TEST_CASE("the table of operators' messages names every registered type") {
  constexpr auto registered = static_cast<size_t>(caf::id_block::notify_operator::end
                                                  - caf::id_block::notify_operator::begin);
  CHECK(all_messages().size() == registered);
}

} // namespace
} // namespace notify

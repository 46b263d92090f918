#include "messages/actors.hpp"
#include "messages/events.hpp"
#include "messages/registration.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/message.hpp>
#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

#include <functional>
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

outcome sample_outcome() {
  outcome x;
  x.kind = outcome_kind::retry_after;
  x.phase = send_phase::rcpt;
  x.provider = "smtp";
  x.provider_status = 451;
  x.provider_code = "4.7.1";
  x.provider_message_id = "queue-1";
  x.reason = "smtp_rcpt_deferred";
  x.detail = "greylisted";
  x.wait_hint = std::chrono::seconds{60};
  x.pause_channel = true;
  x.suppress_recipient = true;
  x.bytes_sent = 17;
  x.connection_reused = true;
  return x;
}

job_origin sample_origin() {
  return {uuid::random(), "correlation", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
}

kafka_record sample_record() {
  return {"orders.events.v1",
          3,
          42,
          1700000000000,
          {true, "key"},
          {false, ""},
          {{"traceparent", {true, std::string{"\0\xff", 2}}}, {"", {false, ""}}}};
}

delivery_job sample_job() {
  delivery_job x;
  x.job_id = id;
  x.attempt_no = 2;
  x.lease_id = 7;
  x.lease_size = 9;
  x.channel = "email";
  x.recipient = "user@example.com";
  x.template_key = "order-paid.v1";
  x.locale = "ru";
  x.event_id = id;
  x.event_type = "order.paid.v1";
  x.correlation_id = "c-1";
  x.traceparent = "00-1-2-01";
  x.payload = R"({"a":1})";
  x.failures = 1;
  x.reclaims = 2;
  x.unknowns = 3;
  x.first_unknown_age = std::chrono::minutes{7};
  x.frozen_hash = "abc";
  x.expires_in = std::chrono::hours{1};
  x.key_no = 2;
  x.suppressed = "smtp_rcpt_unknown";
  x.age = std::chrono::seconds{3};
  return x;
}

attempt_result sample_result() {
  attempt_result x;
  x.attempt = {id, 2, 7};
  x.lease_size = 9;
  x.next = next_step::dead;
  x.delay = std::chrono::seconds{5};
  x.counts_as_failure = false;
  x.counts_as_reclaim = true;
  x.result = "abandoned";
  x.dead_reason = "reclaim_limit";
  x.clamped_wait = std::chrono::seconds{4};
  x.answer = sample_outcome();
  x.origin = sample_origin();
  x.content_hash = "abc";
  x.idempotency_key = "key";
  x.started_ago = std::chrono::milliseconds{20};
  return x;
}

rendered_message sample_content() {
  return {"subject", "text", "<p>html</p>", "hash"};
}

actor_status sample_status() {
  return {"consumer", "running", 3, 4, 120, "none", {{"lag", 5}}};
}

stats_report sample_stats() {
  stats_report x;
  x.taken_at_us = 1;
  x.failure = "storage_unavailable";
  x.jobs = {{"email", "dead", 3}};
  x.oldest_due_s = {{"email", 1.5}};
  x.figures = {{"dead_tuples", 12}};
  return x;
}

span sample_span() {
  return {"0af7651916cd43dd8448eb211c80319c",
          "b7ad6b7169203331",
          "00f067aa0ba902b7",
          "send",
          1,
          2,
          "timeout",
          {{"channel", "email"}},
          {"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"}};
}

struct entry {
  const char* name;
  caf::message value;
};

std::vector<entry> all_messages() {
  return {
      {"uuid", caf::make_message(id)},
      {"kafka_record", caf::make_message(sample_record())},
      {"store_batch", caf::make_message(store_batch{1, {sample_record(), sample_record()}})},
      {"batch_stored", caf::make_message(batch_stored{1, 2, 3, 4, 5})},
      {"poll_tick", caf::make_message(poll_tick{})},
      {"retry_batch", caf::make_message(retry_batch{6})},
      {"outcome", caf::make_message(sample_outcome())},
      {"delivery_job", caf::make_message(sample_job())},
      {"attempt_ref", caf::make_message(attempt_ref{id, 2, 3})},
      {"rendered_message", caf::make_message(sample_content())},
      {"deliver", caf::make_message(deliver{sample_job()})},
      {"send_finished", caf::make_message(send_finished{id, 2, sample_outcome(), sample_origin()})},
      {"attempt_result", caf::make_message(sample_result())},
      {"result_recorded", caf::make_message(result_recorded{id, 2, true})},
      {"jobs_ready", caf::make_message(jobs_ready{{"email", "telegram"}})},
      {"claim_tick", caf::make_message(claim_tick{})},
      {"poll_jobs_tick", caf::make_message(poll_jobs_tick{})},
      {"heartbeat_tick", caf::make_message(heartbeat_tick{})},
      {"drain_timeout", caf::make_message(drain_timeout{})},
      {"channel_gate", caf::make_message(channel_gate{"email", 3, "breaker open"})},
      {"cut_sends", caf::make_message(cut_sends{})},
      {"set_channel_pause", caf::make_message(set_channel_pause{"email", true, "ada"})},
      {"channel_pause_set", caf::make_message(channel_pause_set{"email", true})},
      {"release_tick", caf::make_message(release_tick{})},
      {"pace_tick", caf::make_message(pace_tick{})},
      {"gate_tick", caf::make_message(gate_tick{})},
      {"job_returned", caf::make_message(job_returned{"email", {id, 2, 3}, {}})},
      {"dead_letters_stored", caf::make_message(dead_letters_stored{3})},
      {"relay_tick", caf::make_message(relay_tick{4})},
      {"reports_tick", caf::make_message(reports_tick{5})},
      {"flush_tick", caf::make_message(flush_tick{})},
      {"worker_tick", caf::make_message(worker_tick{8})},
      {"deadline_tick", caf::make_message(deadline_tick{})},
      {"reap_now", caf::make_message(reap_now{})},
      {"reap_tick", caf::make_message(reap_tick{})},
      {"reap_report", caf::make_message(reap_report{1, 2, {{"email", 3}}})},
      {"clean_now", caf::make_message(clean_now{})},
      {"janitor_tick", caf::make_message(janitor_tick{4})},
      {"janitor_report", caf::make_message(janitor_report{1, 2, 3, 4, 5, 6, true})},
      {"worker_ready", caf::make_message(worker_ready{"email", {}})},
      {"worker_busy",
       caf::make_message(worker_busy{"email", {id, 2, 3}, 4, 5, {}, sample_origin()})},
      {"worker_leaving", caf::make_message(worker_leaving{"email", {id, 2, 3}, {}})},
      {"retire_worker", caf::make_message(retire_worker{})},
      {"job_origin", caf::make_message(sample_origin())},
      {"send_message",
       caf::make_message(
           send_message{id, 2, "user@example.com", sample_content(), "key", {}, sample_origin()})},
      {"record_result", caf::make_message(record_result{sample_result(), {}})},
      {"get_status", caf::make_message(get_status{})},
      {"actor_status", caf::make_message(sample_status())},
      {"crash_now", caf::make_message(crash_now{"test"})},
      {"restart_child", caf::make_message(restart_child{1, 2})},
      {"stop_timeout", caf::make_message(stop_timeout{3})},
      {"get_children", caf::make_message(get_children{})},
      {"child_info", caf::make_message(child_info{"consumer", 1, true, nullptr})},
      {"child_list", caf::make_message(child_list{{{"consumer", 1, true, nullptr}}})},
      {"get_actors", caf::make_message(get_actors{})},
      {"actor_line", caf::make_message(actor_line{1, 2, true, 0, sample_status()})},
      {"actor_tree", caf::make_message(actor_tree{{{1, 2, false, 30, sample_status()}}})},
      {"vector of kafka_record", caf::make_message(std::vector{sample_record()})},
      {"vector of record_header", caf::make_message(sample_record().headers)},
      {"vector of child_info",
       caf::make_message(std::vector<child_info>{{"consumer", 1, true, nullptr}})},
      {"vector of actor_line", caf::make_message(std::vector<actor_line>{{1, 2, true, 0, {}}})},
      {"get_stats", caf::make_message(get_stats{})},
      {"stats_report", caf::make_message(sample_stats())},
      {"stats_tick", caf::make_message(stats_tick{})},
      {"listen_tick", caf::make_message(listen_tick{})},
      {"vector of job_count", caf::make_message(sample_stats().jobs)},
      {"spans_ended", caf::make_message(spans_ended{{sample_span()}})},
      {"export_tick", caf::make_message(export_tick{})},
      {"vector of span", caf::make_message(std::vector{sample_span()})},
      {"resize_pool", caf::make_message(resize_pool{4})},
      {"tune_channel", caf::make_message(tune_channel{"email", 4, 5, 6, 7.5})},
  };
}

TEST_CASE("every message survives CAF's serializer") {
  config cfg;
  caf::actor_system system{cfg};
  for (const auto& [name, value] : all_messages()) {
    INFO(name);
    CHECK(transfer(system, value) == to_string(value));
  }
}

TEST_CASE("the table of messages names every registered type") {
  constexpr auto registered =
      static_cast<size_t>(caf::id_block::notify::end - caf::id_block::notify::begin);
  CHECK(all_messages().size() == registered);
}

} // namespace
} // namespace notify

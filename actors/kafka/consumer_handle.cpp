#include "actors/kafka/consumer_handle.hpp"

#include "actors/kafka/consumer_conf.hpp"
#include "actors/kafka/record_reader.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify::kafka {

namespace {

using namespace std::chrono_literals;

constexpr const char* component = "kafka-consumer";

int to_millis(caf::timespan x) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(x).count());
}

partition_list_ptr make_list(const partition_tracker::partitions& xs) {
  partition_list_ptr result{rd_kafka_topic_partition_list_new(static_cast<int>(xs.size()))};
  for (const auto& x : xs)
    rd_kafka_topic_partition_list_add(result.get(), x.topic.c_str(), x.partition);
  return result;
}

std::string name_of(const rd_kafka_message_t& message) {
  if (message.rkt == nullptr)
    return {};
  return rd_kafka_topic_name(message.rkt);
}

} // namespace

consumer_handle::consumer_handle(const consumer_config& config)
    : topics_(config.topics), first_start_(config), leaves_(config.instance_id.empty()) {}

caf::expected<std::unique_ptr<consumer_handle>>
consumer_handle::create(const consumer_config& config) {
  auto values = consumer_properties(config);
  if (!values)
    return values.error();
  auto conf = make_conf(*values);
  if (!conf)
    return conf.error();
  std::unique_ptr<consumer_handle> result{new consumer_handle{config}};
  if (auto err = result->open(std::move(*conf)))
    return err;
  return result;
}

caf::error consumer_handle::open(conf_ptr conf) {
  log_through_service(conf.get());
  rd_kafka_conf_set_opaque(conf.get(), this);
  rd_kafka_conf_set_rebalance_cb(conf.get(), on_rebalance);
  rd_kafka_conf_set_error_cb(conf.get(), on_error);
  rd_kafka_conf_set_stats_cb(conf.get(), on_statistics);
  auto client = make_client(RD_KAFKA_CONSUMER, std::move(conf));
  if (!client)
    return client.error();
  client_ = client->release();
  rd_kafka_poll_set_consumer(client_);
  commits_.reset(rd_kafka_queue_new(client_));
  records_.reset(rd_kafka_queue_get_consumer(client_));
  return caf::none;
}

caf::error consumer_handle::join() {
  partition_list_ptr list{rd_kafka_topic_partition_list_new(static_cast<int>(topics_.size()))};
  for (const auto& x : topics_)
    rd_kafka_topic_partition_list_add(list.get(), x.c_str(), RD_KAFKA_PARTITION_UA);
  auto code = rd_kafka_subscribe(client_, list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "subscribe");
  joined_ = true;
  return caf::none;
}

// -- assignment ----------------------------------------------------------------------------------

void consumer_handle::on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t code,
                                   rd_kafka_topic_partition_list_t* partitions, void* self) {
  auto* handle = static_cast<consumer_handle*>(self);
  if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    handle->take_assignment(partitions);
    return;
  }
  if (code == RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) {
    handle->begin_revoke(rd_kafka_assignment_lost(client) != 0);
    return;
  }
  log::error(component, "rebalance failed", {{"error", rd_kafka_err2str(code)}});
  handle->begin_revoke(true);
}

void consumer_handle::take_assignment(rd_kafka_topic_partition_list_t* partitions) {
  // With an eager assignor nothing is left over here; a pause that survived would never end.
  resume(tracker_.finish_revoke());
  partition_tracker::partitions assigned;
  for (int i = 0; i < partitions->cnt; ++i)
    assigned.push_back({partitions->elems[i].topic, partitions->elems[i].partition});
  // On failure they keep the group's offsets, as without a rule; see take_missing_offset.
  if (auto err = first_start_.place(client_, *partitions))
    log::warning(component, "cannot tell which partitions are new", {{"reason", render(err)}});
  auto code = rd_kafka_assign(client_, partitions);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    log::error(component, "assign failed", {{"error", rd_kafka_err2str(code)}});
    pending_.emplace_back(source_trouble{std::string{"assign: "} + rd_kafka_err2str(code)});
    return;
  }
  place_lost_ = false;
  pause(tracker_.assign(assigned));
  pending_.emplace_back(partitions_assigned{std::move(assigned)});
}

void consumer_handle::begin_revoke(bool lost) {
  place_lost_ = lost;
  tracker_.begin_revoke(lost);
  pending_.emplace_back(partitions_revoking{tracker_.assigned(), lost});
  // Nobody waits for work in flight any more.
  if (closing_)
    release_assignment();
}

void consumer_handle::finish_revoke() {
  if (tracker_.revoking())
    release_assignment();
}

void consumer_handle::release_assignment() {
  resume(tracker_.finish_revoke());
  auto code = rd_kafka_assign(client_, nullptr);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    log::error(component, "unassign failed", {{"error", rd_kafka_err2str(code)}});
}

uint64_t consumer_handle::epoch(const topic_partition& where) const {
  return tracker_.epoch(where);
}

// -- gate ----------------------------------------------------------------------------------------

void consumer_handle::set_gate(bool open) {
  if (open == tracker_.gate_open())
    return;
  if (open)
    resume(tracker_.open_gate());
  else
    pause(tracker_.close_gate());
}

void consumer_handle::pause(const partition_tracker::partitions& xs) {
  if (xs.empty())
    return;
  auto list = make_list(xs);
  rd_kafka_pause_partitions(client_, list.get());
  for (int i = 0; i < list->cnt; ++i) {
    const auto& x = list->elems[i];
    if (x.err == RD_KAFKA_RESP_ERR_NO_ERROR)
      continue;
    tracker_.forget_pause({x.topic, x.partition});
    log::warning(
        component, "pause refused",
        {{"topic", x.topic}, {"partition", x.partition}, {"error", rd_kafka_err2str(x.err)}});
  }
}

void consumer_handle::resume(const partition_tracker::partitions& xs) {
  if (xs.empty())
    return;
  auto list = make_list(xs);
  rd_kafka_resume_partitions(client_, list.get());
}

// -- polling -------------------------------------------------------------------------------------

source_event consumer_handle::poll(caf::timespan timeout) {
  if (pending_.empty())
    wait_for_event(timeout);
  if (pending_.empty())
    return {};
  auto result = std::move(pending_.front());
  pending_.pop_front();
  return result;
}

void consumer_handle::wait_for_event(caf::timespan timeout) {
  if (commit_in_flight_)
    serve_commit();
  if (closing_)
    close_if_left();
  if (!pending_.empty() || closed())
    return;
  message_ptr message{rd_kafka_consumer_poll(client_, to_millis(timeout))};
  if (message == nullptr)
    return;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    take_error(*message);
    return;
  }
  topic_partition where{rd_kafka_topic_name(message->rkt), message->partition};
  if (!tracker_.accepts(where))
    return;
  pending_.emplace_back(read_record(*message));
}

void consumer_handle::take_error(const rd_kafka_message_t& message) {
  topic_partition where{name_of(message), message.partition};
  switch (message.err) {
  case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    if (tracker_.accepts(where))
      pending_.emplace_back(partition_end{std::move(where), message.offset});
    return;
  case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    take_missing_offset(message, std::move(where));
    return;
  case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    stall(std::move(where), rd_kafka_message_errstr(&message));
    return;
  default:
    if (check_fatal(message.err))
      return;
    log::repeated(log::level::warning, component, "poll reported an error",
                  {{"topic", where.topic}, {"error", rd_kafka_message_errstr(&message)}});
    pending_.emplace_back(source_trouble{rd_kafka_message_errstr(&message)});
  }
}

// Without a reset of its own librdkafka stops the partition and says where it wanted to read, or
// nothing if the group has no offset for it.
void consumer_handle::take_missing_offset(const rd_kafka_message_t& message,
                                          topic_partition where) {
  if (message.offset >= 0 || !first_start_.applies_to(where)) {
    stall(where, first_start_.stall_reason(where, message.offset));
    return;
  }
  // Nobody could tell that it is new when it was assigned. The next assignment asks again.
  if (closing_ || tracker_.revoking() || tracker_.epoch(where) == 0)
    return;
  log::info(component, "joining again for a partition without a place",
            {{"topic", where.topic}, {"partition", where.partition}});
  if (auto err = join())
    pending_.emplace_back(source_trouble{render(err)});
}

void consumer_handle::stall(topic_partition where, std::string reason) {
  log::error(component, "partition stalls until an operator decides",
             {{"topic", where.topic}, {"partition", where.partition}, {"reason", reason}});
  pending_.emplace_back(partition_stalled{std::move(where), std::move(reason)});
}

void consumer_handle::on_error(rd_kafka_t*, int code, const char* reason, void* self) {
  auto* handle = static_cast<consumer_handle*>(self);
  auto error = rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(code));
  log::repeated(log::level::warning, component, std::string{"client reports "} + error,
                {{"reason", reason}});
  handle->pending_.emplace_back(source_trouble{reason});
}

int consumer_handle::on_statistics(rd_kafka_t*, char* json, size_t size, void* self) {
  auto* handle = static_cast<consumer_handle*>(self);
  auto lag = read_lag({json, size});
  std::erase_if(lag, [&](const auto& x) { return handle->tracker_.epoch(x.first) == 0; });
  handle->pending_.emplace_back(lag_measured{std::move(lag)});
  return 0;
}

// -- offsets -------------------------------------------------------------------------------------

store_verdict consumer_handle::store_offset(const topic_partition& where, uint64_t epoch,
                                            int64_t next_offset) {
  auto verdict = tracker_.advance(where, epoch, next_offset);
  if (verdict != store_verdict::stored)
    return verdict;
  auto list = make_list({where});
  list->elems[0].offset = next_offset;
  auto code = rd_kafka_offsets_store(client_, list.get());
  // The call itself succeeds if any element did, so the element has the last word.
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
    code = list->elems[0].err;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    first_start_.stored(where, next_offset);
    return store_verdict::stored;
  }
  log::warning(
      component, "offset not stored",
      {{"topic", where.topic}, {"partition", where.partition}, {"error", rd_kafka_err2str(code)}});
  return store_verdict::failed;
}

bool consumer_handle::commit() {
  if (commit_in_flight_)
    return false;
  auto code = rd_kafka_commit_queue(client_, nullptr, commits_.get(), nullptr, nullptr);
  commit_in_flight_ = code == RD_KAFKA_RESP_ERR_NO_ERROR;
  if (!commit_in_flight_)
    finish_commit(code);
  return true;
}

void consumer_handle::serve_commit() {
  event_ptr event{rd_kafka_queue_poll(commits_.get(), 0)};
  if (event == nullptr || rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_OFFSET_COMMIT)
    return;
  commit_in_flight_ = false;
  auto code = rd_kafka_event_error(event.get());
  const auto* list = rd_kafka_event_topic_partition_list(event.get());
  for (int i = 0; list != nullptr && i < list->cnt && code == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    code = list->elems[i].err;
  finish_commit(code);
}

void consumer_handle::finish_commit(rd_kafka_resp_err_t code) {
  if (code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID && check_fatal(code))
    return;
  auto verdict = classify_commit(code);
  auto fine = verdict == commit_verdict::committed || verdict == commit_verdict::nothing;
  pending_.emplace_back(commit_finished{verdict, fine ? "" : rd_kafka_err2str(code)});
}

} // namespace notify::kafka

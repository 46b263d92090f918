#include "actors/kafka/producer.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace notify::kafka {

namespace {

using clock_type = std::chrono::steady_clock;

int to_millis(caf::timespan x) {
  auto count = std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
  return static_cast<int>(std::clamp<int64_t>(count, 0, std::numeric_limits<int>::max()));
}

properties to_properties(const producer_config& config) {
  properties result{
      {"bootstrap.servers", join_brokers(config.brokers)},
      {"client.id", config.client_id},
      {"enable.idempotence", "true"},
      {"compression.type", "lz4"},
      {"linger.ms", std::to_string(to_millis(config.linger))},
      {"message.timeout.ms", std::to_string(to_millis(config.message_timeout))},
      {"message.max.bytes", std::to_string(config.max_message_bytes)},
      // The default differs from Java's: the same key would land in another partition.
      {"partitioner", "murmur2_random"},
      {"socket.nagle.disable", "true"},
      {"socket.keepalive.enable", "true"},
  };
  for (const auto& [name, value] : config.more)
    result.insert_or_assign(name, value);
  return result;
}

/// The record itself is at fault: no broker will ever take it.
bool is_refusal(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
         || code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_MSG
         || code == RD_KAFKA_RESP_ERR_INVALID_RECORD || code == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP
         || code == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

delivery to_delivery(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return delivery::acknowledged;
  if (is_refusal(message.err))
    return delivery::refused;
  return rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED
             ? delivery::not_written
             : delivery::possibly_written;
}

headers_ptr to_headers(const std::vector<record_header>& from) {
  if (from.empty())
    return nullptr;
  headers_ptr result{rd_kafka_headers_new(from.size())};
  for (const auto& x : from)
    rd_kafka_header_add(result.get(), x.name.data(), static_cast<ssize_t>(x.name.size()),
                        x.value.present ? x.value.bytes.data() : nullptr,
                        static_cast<ssize_t>(x.value.bytes.size()));
  return result;
}

rd_kafka_vu_t bytes_argument(rd_kafka_vtype_t type, const nullable_bytes& x) {
  rd_kafka_vu_t result{};
  result.vtype = type;
  // The library copies; its signature lacks the const. An empty value is not a null value.
  result.u.mem.ptr = x.present ? const_cast<char*>(x.bytes.data()) : nullptr;
  result.u.mem.size = x.present ? x.bytes.size() : 0;
  return result;
}

} // namespace

producer::producer(caf::timespan queue_timeout, report_handler on_report)
    : queue_timeout_(queue_timeout), on_report_(std::move(on_report)) {}

producer::~producer() = default;

caf::expected<std::unique_ptr<producer>> producer::create(const producer_config& config,
                                                          report_handler on_report) {
  auto conf = make_conf(to_properties(config));
  if (!conf)
    return std::move(conf.error());
  std::unique_ptr<producer> result{new producer(config.queue_timeout, std::move(on_report))};
  log_through_service(conf->get());
  rd_kafka_conf_set_dr_msg_cb(conf->get(), on_message);
  rd_kafka_conf_set_opaque(conf->get(), result.get());
  auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client)
    return std::move(client.error());
  result->client_ = std::move(*client);
  return result;
}

void producer::on_message(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  delivery_report report;
  report.token = reinterpret_cast<uintptr_t>(message->_private);
  report.result = to_delivery(*message);
  report.partition = message->partition;
  report.offset = message->offset;
  report.code = message->err;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
    report.reason = rd_kafka_err2str(message->err);
  const auto& handler = static_cast<producer*>(self)->on_report_;
  if (handler)
    handler(report);
}

error_ptr producer::enqueue(const outgoing_record& x) {
  std::array<rd_kafka_vu_t, 7> arguments{};
  size_t count = 0;
  auto next = [&](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
    auto& result = arguments.at(count++);
    result.vtype = type;
    return result;
  };
  next(RD_KAFKA_VTYPE_TOPIC).u.cstr = x.topic.c_str();
  next(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
  // A number in a pointer's clothes: the client hands it back and never looks behind it.
  auto* token = reinterpret_cast<void*>( // NOLINT(performance-no-int-to-ptr)
      static_cast<uintptr_t>(x.token));
  next(RD_KAFKA_VTYPE_OPAQUE).u.ptr = token;
  next(RD_KAFKA_VTYPE_KEY) = bytes_argument(RD_KAFKA_VTYPE_KEY, x.key);
  next(RD_KAFKA_VTYPE_VALUE) = bytes_argument(RD_KAFKA_VTYPE_VALUE, x.value);
  if (x.timestamp_ms)
    next(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = *x.timestamp_ms;
  auto headers = to_headers(x.headers);
  if (headers != nullptr)
    next(RD_KAFKA_VTYPE_HEADERS).u.headers = headers.get();
  error_ptr error{rd_kafka_produceva(client_.get(), arguments.data(), count)};
  if (error == nullptr)
    static_cast<void>(headers.release()); // The message owns them now.
  return error;
}

caf::error producer::produce(const outgoing_record& x) {
  auto deadline = clock_type::now() + queue_timeout_;
  for (;;) {
    auto error = enqueue(x);
    auto code = error != nullptr ? rd_kafka_error_code(error.get()) : RD_KAFKA_RESP_ERR_NO_ERROR;
    // Reports are served with every record, else a steady caller would never see them.
    poll(caf::timespan{0});
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
      return caf::none;
    if (is_refusal(code))
      return caf::make_error(ec::invalid_event, std::string{rd_kafka_error_string(error.get())});
    if (auto ended = fatal())
      return ended;
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL || clock_type::now() >= deadline)
      return make_kafka_error(code, "produce");
    poll(std::chrono::milliseconds{100});
  }
}

void producer::poll(caf::timespan timeout) {
  rd_kafka_poll(client_.get(), to_millis(timeout));
}

caf::error producer::flush(caf::timespan timeout) {
  auto code = rd_kafka_flush(client_.get(), to_millis(timeout));
  // Reports that came with the last answer.
  poll(caf::timespan{0});
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR || pending() == 0)
    return caf::none;
  return make_kafka_error(code, "flush");
}

caf::error producer::fatal() const {
  std::array<char, 512> reason{};
  auto code = rd_kafka_fatal_error(client_.get(), reason.data(), reason.size());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
    return caf::none;
  return caf::make_error(ec::kafka_fatal, std::string{rd_kafka_err2name(code)},
                         std::string{reason.data()});
}

size_t producer::pending() const {
  return static_cast<size_t>(rd_kafka_outq_len(client_.get()));
}

} // namespace notify::kafka

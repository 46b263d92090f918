#include "actors/kafka/bounded_destroy.hpp"
#include "actors/kafka/consumer_handle.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

// How a membership ends: by our own stop, or because the client is of no use any more.

namespace notify::kafka {

namespace {

using namespace std::chrono_literals;

constexpr const char* component = "kafka-consumer";

/// How long the destructor tries to tell the group that we leave.
constexpr auto leave_limit = 2s;

/// True as long as the group counts on this client. Never again after a fatal error.
bool is_member(rd_kafka_t* client) {
  if (rd_kafka_fatal_error(client, nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return false;
  auto* id = rd_kafka_memberid(client);
  auto result = id != nullptr && *id != '\0';
  rd_kafka_mem_free(client, id);
  return result;
}

} // namespace

consumer_handle::~consumer_handle() {
  if (client_ == nullptr)
    return;
  if (joined_ && !closing_)
    leave_bounded();
  commits_.reset();
  records_.reset();
  destroy_bounded(client_);
}

void consumer_handle::leave_bounded() {
  auto deadline = std::chrono::steady_clock::now() + leave_limit;
  begin_close();
  while (!closed() && std::chrono::steady_clock::now() < deadline)
    poll(20ms);
}

void consumer_handle::begin_close() {
  if (closing_)
    return;
  closing_ = true;
  finish_revoke();
  // Closing alone does not take a member with a `group.instance.id` out of the group (KIP-345), but
  // ending its subscription does.
  if (leaves_)
    rd_kafka_unsubscribe(client_);
  close_if_left();
}

void consumer_handle::close_if_left() {
  if (close_begun_ || (leaves_ && is_member(client_)))
    return;
  close_begun_ = true;
  error_ptr error{rd_kafka_consumer_close_queue(client_, records_.get())};
  // Refused after a fatal error: there is no membership left to end.
  close_refused_ = error != nullptr;
  if (close_refused_)
    log::warning(component, "close refused", {{"error", rd_kafka_error_string(error.get())}});
}

bool consumer_handle::closed() const {
  return closing_ && (close_refused_ || rd_kafka_consumer_closed(client_) != 0);
}

bool consumer_handle::check_fatal(rd_kafka_resp_err_t code) {
  char reason[512] = "";
  auto fatal = rd_kafka_fatal_error(client_, reason, sizeof(reason));
  if (fatal == RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID
      && code != RD_KAFKA_RESP_ERR__FATAL)
    return false;
  auto cause = fatal == RD_KAFKA_RESP_ERR_NO_ERROR ? code : fatal;
  std::string text = reason[0] != '\0' ? reason : rd_kafka_err2str(cause);
  log::error(component, "the client gave up", {{"reason", text}});
  // A commit that waited for the coordinator while our session ended bears no member id, and the
  // broker, back with what it knew before, takes us for a second one under our name. That is no
  // reason to leave the process: a new client takes the place back.
  auto by_ourselves = place_lost_ && cause == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
  pending_.emplace_back(source_failed{
      caf::make_error(by_ourselves ? ec::kafka_unavailable : ec::kafka_fatal, std::move(text))});
  return true;
}

} // namespace notify::kafka

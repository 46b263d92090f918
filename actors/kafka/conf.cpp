#include "actors/kafka/conf.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace notify::kafka {

namespace {

/// librdkafka's levels are those of syslog. A lost connection is an error there; here it is a
/// warning, because the library connects again by itself.
log::level to_level(int syslog_level) {
  if (syslog_level <= 2)
    return log::level::error;
  if (syslog_level <= 4)
    return log::level::warning;
  return syslog_level <= 6 ? log::level::info : log::level::debug;
}

void on_log(const rd_kafka_t*, int level, const char* facility, const char* text) {
  // A broken connection is told by `on_error` too, once is enough.
  auto told_twice = std::string_view{facility} == "FAIL";
  auto how = told_twice ? log::level::debug : to_level(level);
  if (how < log::level::warning)
    log::write(how, "kafka-client", text, {{"facility", facility}});
  else // Its texts hold numbers and addresses: no two of them are equal.
    log::repeated(how, "kafka-client", std::string{"the library says "} + facility,
                  {{"text", text}});
}

void on_error(rd_kafka_t* client, int code, const char* reason, void*) {
  // Reports about brokers are information: the library connects again by itself.
  auto error = rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(code));
  log::repeated(log::level::warning, "kafka-client", std::string{"the library reports "} + error,
                {{"client", rd_kafka_name(client)}, {"reason", reason}});
}

} // namespace

caf::expected<conf_ptr> make_conf(const properties& values) {
  conf_ptr conf{rd_kafka_conf_new()};
  std::array<char, 512> reason{};
  // The library's ten seconds, and half of that on top, delay the end of every longer outage.
  properties all{{"reconnect.backoff.max.ms", "2000"}};
  for (const auto& [name, value] : values)
    all[name] = value;
  for (const auto& [name, value] : all) {
    auto code =
        rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), reason.data(), reason.size());
    if (code != RD_KAFKA_CONF_OK)
      return caf::make_error(ec::invalid_config, name, std::string{reason.data()});
  }
  return conf;
}

void log_through_service(rd_kafka_conf_t* conf) {
  rd_kafka_conf_set_log_cb(conf, on_log);
  rd_kafka_conf_set_error_cb(conf, on_error);
}

caf::expected<client_ptr> make_client(rd_kafka_type_t type, conf_ptr conf) {
  std::array<char, 512> reason{};
  client_ptr client{rd_kafka_new(type, conf.get(), reason.data(), reason.size())};
  if (client == nullptr)
    return caf::make_error(ec::invalid_config, std::string{reason.data()});
  // The client owns the settings now.
  static_cast<void>(conf.release());
  return client;
}

caf::expected<client_ptr> open_client(rd_kafka_type_t type, const properties& values) {
  auto conf = make_conf(values);
  if (!conf)
    return std::move(conf.error());
  log_through_service(conf->get());
  return make_client(type, std::move(*conf));
}

std::string join_brokers(const std::vector<std::string>& brokers) {
  std::string result;
  for (const auto& broker : brokers)
    result += (result.empty() ? "" : ",") + broker;
  return result;
}

properties connection_properties(const properties& values) {
  constexpr std::array<std::string_view, 11> prefixes{
      "security.", "sasl.",      "ssl.",         "socket.", "broker.",     "client.",
      "enable.s",  "reconnect.", "oauthbearer.", "api.",    "connections."};
  properties result;
  for (const auto& [name, value] : values)
    if (std::any_of(prefixes.begin(), prefixes.end(),
                    [&](auto prefix) { return name.starts_with(prefix); }))
      result.emplace(name, value);
  return result;
}

properties guest_properties(const std::vector<std::string>& brokers, const std::string& group,
                            const properties& connection) {
  auto result = connection;
  result.insert_or_assign("client.id", "notifyctl");
  result.insert_or_assign("bootstrap.servers", join_brokers(brokers));
  result.insert_or_assign("group.id", group);
  result.insert_or_assign("enable.auto.commit", "false");
  result.insert_or_assign("enable.auto.offset.store", "false");
  return result;
}

caf::error make_kafka_error(rd_kafka_resp_err_t code, const std::string& call) {
  auto fatal = code == RD_KAFKA_RESP_ERR__FATAL || code == RD_KAFKA_RESP_ERR__FENCED
               || code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
  return caf::make_error(fatal ? ec::kafka_fatal : ec::kafka_unavailable, call,
                         std::string{rd_kafka_err2str(code)});
}

} // namespace notify::kafka

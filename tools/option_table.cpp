#include "tools/option_table.hpp"

#include "tools/option_builder.hpp"
#include "tools/secrets.hpp"

#include <chrono>

namespace notify {

namespace {

using namespace std::chrono_literals;

void add_service(option_list& out, setting_values& values) {
  auto& x = values.service;
  section s{out, "service"};
  s.add("instance", x.instance, "Names this process in logs. Should differ between processes.")
      .default_is("host name and process id");
  s.add("run-ingest", x.roles.ingest, "Reads events from Kafka into the inbox.");
  s.add("run-deliver", x.roles.deliver, "Delivers waiting notifications.");
  s.add("run-http", x.roles.http, "Serves HTTP: health, metrics, the API.");
  s.add("routes-file", x.routes_file, "Which notifications each event type calls for (JSON).")
      .not_empty()
      .is_a_path();
  s.add("templates-folder", x.templates_folder, "The templates of all notifications.")
      .not_empty()
      .is_a_path();
  s.add("shutdown-timeout", x.shutdown_timeout,
        "From the first stop signal on; whatever still runs then is abandoned (exit code 4).")
      .between(1s, 1h);
  s.add("io-threads", x.io_threads, "Threads for all asynchronous network I/O.").between(1, 64);
}

void add_kafka_limits(section& s, consumer_config& x) {
  s.add("session-timeout", x.session_timeout,
        "The group drops a member that is silent for this long.")
      .between(1s, 30min);
  s.add("max-poll-interval", x.max_poll_interval,
        "The group drops a member that does not poll for this long; others wait for it as long.")
      .between(1s, 24h);
  s.add("commit-interval", x.commit_interval, "Between two commits of offsets.")
      .between(10ms, 1min);
  s.add("store-timeout", x.store_timeout,
        "For the database to take one batch, before the batch is tried again.")
      .between(1s, 1h);
  s.add("drain-timeout", x.drain_timeout,
        "For batches in flight when partitions move to another process.")
      .between(0s, 5min);
  s.add("close-timeout", x.close_timeout, "For leaving the group at shutdown.").between(1s, 5min);
  s.add("batch-records", x.batch_records, "Most records of one ingest transaction.")
      .between(1, 100'000);
  s.add("buffer-records", x.buffer_records,
        "Fetching pauses above this many records that wait for the database.")
      .between(1, 10'000'000);
  s.add("buffer-bytes", x.buffer_bytes,
        "Fetching pauses above this many bytes that wait for the database.")
      .at_least(1024)
      .measured_in("bytes");
}

void add_kafka(option_list& out, setting_values& values) {
  auto& x = values.service.kafka;
  section s{out, "kafka"};
  s.add("brokers", x.brokers, "Bootstrap servers, host:port.").not_empty();
  s.add("topics", x.topics, "Topics with events.").not_empty();
  s.add("dead-letter-topic", values.service.dead_letters.topic,
        "Where records that can never be processed are published, besides the database. It must "
        "exist and must not be one of the topics. Empty: nowhere.");
  s.add("group", x.group,
        "Consumer group. Changing it reads the topics again or skips what is in them.")
      .not_empty();
  s.add("client-id", x.client_id, "Names this client in the broker's logs.").not_empty();
  s.add("instance-id", x.instance_id,
        "A name that this process keeps over restarts: one within the session timeout moves no "
        "partition, but a stop for good leaves the partitions to the others only after it. Must "
        "differ between processes. Empty: the group is left at each stop.");
  s.add(
       "offset-reset", x.offset_reset,
       "Where to go on if the group's committed offset is lost or out of range. \"error\" stops "
       "the "
       "partition until someone decides (see notifyctl offsets); the others decide without asking, "
       "for a first start too.")
      .one_of({"error", "earliest", "latest"});
  s.add("first-start", x.first_start,
        "Where to begin a partition that has no committed offset and that nothing was ever stored "
        "of. \"error\" stops the partition until someone decides.")
      .one_of({"error", "earliest", "latest"});
  s.add("sasl-password-file", values.kafka_sasl_password_file,
        "File whose first line is the value of the property sasl.password.")
      .is_a_path();
  s.add("properties", x.properties,
        "Further librdkafka properties, e.g. [\"security.protocol=SASL_SSL\"].")
      .masked_by(mask_property);
  add_kafka_limits(s, x);
}

void add_postgres(option_list& out, setting_values& values) {
  auto& x = values.service.postgres;
  section s{out, "postgres"};
  s.add("url", x.url,
        "The database. A password in it is taken from the file only, never from a "
        "command line, which others can see.")
      .not_empty()
      .masked_by(mask_url);
  s.add("password-file", values.postgres_password_file, "File whose first line is the password.")
      .is_a_path();
  s.add("connect-timeout", x.connect_timeout, "For one attempt to connect.").between(2s, 5min);
  s.add("application-name", x.application_name,
        "Shown in pg_stat_activity, together with what the session is for.")
      .not_empty();
  s.add("statement-timeout", x.statement_timeout,
        "For one statement. A call that has no answer after twice this time gives its connection "
        "up, also if the server or a proxy only stopped talking. 0s: none, not even then.")
      .between(0s, 1h);
  s.add("lock-timeout", x.lock_timeout, "For one lock that another session holds. 0s: none.")
      .between(0s, 1h);
  s.add("idle-in-transaction-timeout", x.idle_in_transaction_timeout,
        "The server ends a session that leaves a transaction open for this long. 0s: never.")
      .between(0s, 1h);
}

void add_ingest(option_list& out, setting_values& values) {
  auto& x = values.service.ingest;
  section s{out, "ingest"};
  s.add("writers", x.writers, "Actors that store batches, each with a database session.")
      .between(1, 64);
  s.add("max-value-bytes", x.limits.max_value_bytes,
        "A larger record is dead-lettered, not read further.")
      .between(1024, 64 << 20)
      .measured_in("bytes");
  s.add("max-depth", x.limits.max_depth, "Deeper nested JSON is dead-lettered.").between(2, 512);
  s.add("max-members", x.limits.max_members,
        "JSON with more members and list elements together is dead-lettered.")
      .between(16, 10'000'000);
  s.add("crash-tries", x.crash_tries,
        "A record over which a writer or the process died this often is dead-lettered.")
      .between(2, 100);
  s.add("breaker", x.breaker.enabled,
        "Halts ingest when too many records would be dead-lettered. Set it to false to let them "
        "through.");
  s.add("breaker-share", x.breaker.share,
        "Halts above this share of unfit records among the last ones, e.g. 0.2 for 20 %.")
      .between(0, 1);
  s.add("breaker-window", x.breaker.window, "How many records are the last ones.")
      .between(1, 1'000'000);
  s.add("breaker-row", x.breaker.row, "Halts at so many unfit records one after another.")
      .between(1, 1'000'000);
}

void add_delivery(option_list& out, setting_values& values) {
  auto& x = values.service.delivery;
  section s{out, "delivery"};
  s.add("lease", x.lease,
        "How long a claimed notification belongs to this process without a sign of life. Must "
        "exceed each channel's deadline by more than 5s.")
      .between(1s, 24h);
  s.add("heartbeat-interval", x.heartbeat_interval,
        "Between two renewals of the leases; less than half the lease.")
      .between(100ms, 12h);
  s.add("poll-interval", x.poll_interval,
        "Between two looks for due notifications when nothing hints at new ones; jitter is added.")
      .between(10ms, 10min);
  s.add("drain-timeout", x.drain_timeout, "For sends in flight at shutdown.").between(0s, 1h);
  s.add("result-writers", x.result_writers, "Actors that record results, each with a session.")
      .between(1, 64);
  s.add("result-batch", x.result_batch, "Most results of one transaction.").between(1, 100'000);
  s.add("suppression", x.suppression,
        "How long nothing is sent to a recipient that refused for good, e.g. a mailbox that does "
        "not exist.")
      .between(0s, 87600h);
  s.add(
      "listen", x.listen,
      "Processes tell each other at once of new notifications (LISTEN and NOTIFY). Without it, or "
      "behind a pooler in transaction mode, polling finds them.");
}

void add_reaper(option_list& out, setting_values& values) {
  auto& x = values.service.reaper;
  section s{out, "reaper"};
  s.add("interval", x.interval, "Between two looks for expired leases.").between(100ms, 1h);
  s.add("batch-leases", x.batch_leases, "Most leases of one transaction.").between(1, 10'000);
  s.add("reclaim-cap", x.reclaim_cap,
        "A notification whose process or worker died more often is dead (reclaim_limit).")
      .between(1, 1'000);
}

void add_retention(option_list& out, setting_values& values) {
  constexpr auto longest = 87600h;
  auto& x = values.service.retention;
  section s{out, "retention"};
  s.add("interval", x.interval,
        "Between two passes that delete what was kept for long enough; jitter is added.")
      .between(1s, 24h);
  s.add("batch", x.batch, "Most rows that one transaction looks at.").between(1, 100'000);
  s.add("topic", x.keep.topic,
        "How long Kafka keeps the topics' records: so old a copy of an event may arrive.")
      .between(1h, longest);
  s.add("inbox", x.keep.inbox,
        "How long an event's id is remembered, so that a copy makes nothing new; at least a day "
        "longer than topic. An event stays as long as one of its notifications does. 0s: for ever.")
      .between(0s, longest);
  s.add("jobs", x.keep.jobs,
        "How long a sent or cancelled notification is kept, with its attempts. 0s: for ever.")
      .between(0s, longest);
  s.add("dead-jobs", x.keep.dead_jobs,
        "How long a dead notification is kept, with its attempts. 0s: for ever.")
      .between(0s, longest);
  s.add("dead-letters", x.keep.dead_letters,
        "How long a dead letter is kept after its publication; before, it always is. 0s: for ever.")
      .between(0s, longest);
  s.add("operations", x.keep.operations,
        "How long an act on many notifications is kept after its end. 0s: for ever.")
      .between(0s, longest);
}

void add_stats(option_list& out, setting_values& values) {
  auto& x = values.service.stats;
  section s{out, "stats"};
  s.add("interval", x.interval,
        "Between two looks at the tables for statistics and metrics; jitter is added.")
      .between(100ms, 1h);
  s.add("statement-timeout", x.statement_timeout,
        "For one of these looks. A figure that takes longer is left as it was.")
      .between(1ms, 5min);
}

void add_supervision(option_list& out, setting_values& values) {
  auto& x = values.service.supervision;
  section s{out, "supervision"};
  s.add("first-delay", x.first_delay, "Before the first restart of a crashed actor; doubles.")
      .between(1ms, 1h);
  s.add("max-delay", x.max_delay, "The longest wait before a restart.").between(1ms, 24h);
  s.add("stable-after", x.stable_after, "An actor that lived this long starts over at first-delay.")
      .between(1s, 24h);
  s.add("max-crashes", x.max_crashes, "More than this many within the window end the process.")
      .between(0, 1'000'000);
  s.add("window", x.window, "In which crashes are counted.").between(1s, 24h);
}

void add_http(option_list& out, setting_values& values) {
  auto& x = values.http;
  section s{out, "http"};
  s.add("address", x.address,
        "IP address to listen on. Loopback, unless a trusted proxy is in front.")
      .not_empty();
  s.add("port", x.port, "0: any free one; the log says which.").between(0, 65535);
  s.add("max-connections", x.max_connections,
        "Beyond it idle connections are closed, and further ones wait.")
      .between(1, 100'000);
  s.add("header-limit", x.header_limit, "A larger request header is refused (431).")
      .between(1024, 1 << 20)
      .measured_in("bytes");
  s.add("body-limit", x.body_limit, "A larger request body is refused (413).")
      .between(0, 64 << 20)
      .measured_in("bytes");
  s.add("read-timeout", x.read_timeout, "For a request to arrive completely.").between(10ms, 10min);
  s.add("answer-timeout", x.answer_timeout, "For the service to make an answer; then 503.")
      .between(10ms, 10min);
  s.add("idle-timeout", x.idle_timeout, "A connection without a request is closed after this.")
      .between(10ms, 1h);
  s.add("drain-timeout", x.drain_timeout, "For open requests at shutdown.").between(0s, 5min);
  s.add("auth", x.auth, {{"token", http_auth::token}, {"none", http_auth::none}},
        "How callers of the API show who they are. \"none\" lets everybody do everything; it is "
        "refused unless the address is a loopback address.");
  s.add("tokens-file", x.tokens_file,
        "Who has a token: lines as 'notifyd token NAME ROLE' prints them. Read at start. Empty: "
        "nobody has one, and the API answers 401.")
      .is_a_path();
  s.add("metrics-need-token", x.metrics_need_token,
        "Serves /metrics only to callers with a token.");
  s.add("tls-certificate", x.tls_certificate,
        "Certificate for TLS (PEM, with its chain). Read at start. Empty: no TLS.")
      .is_a_path();
  s.add("tls-key", x.tls_key, "The certificate's private key (PEM).").is_a_path();
}

void add_operators(option_list& out, setting_values& values) {
  auto& x = values.service.operators;
  section s{out, "operators"};
  s.add("desks", x.desks,
        "Actors that answer the HTTP interface's questions to the database, each on sessions of "
        "its own.")
      .between(1, 16);
  s.add("query-timeout", x.query_timeout,
        "For one of their statements. Should be shorter than http.answer-timeout.")
      .between(100ms, 5min);
  s.add("operation-interval", x.operation_interval,
        "Between looks for bulk operations that another process stored. Up to half is added.")
      .between(10ms, 1h);
  s.add("operation-pause", x.operation_pause,
        "After each batch of an operation: others need the database, too.")
      .between(0s, 1min);
  s.add("operation-batch", x.operation_batch,
        "Most notifications that one transaction of an operation acts on.")
      .between(1, 10'000);
}

void add_tracing(option_list& out, setting_values& values) {
  auto& x = values.service.tracing;
  section s{out, "tracing"};
  s.add("endpoint", x.endpoint,
        "Base URL of an OpenTelemetry collector that takes OTLP over HTTP, e.g. "
        "http://127.0.0.1:4318. Empty: no traces.");
  s.add("sample-ratio", x.sample_ratio,
        "Which share of the events that came without a traceparent is traced. For the others its "
        "sampled flag decides.")
      .between(0, 1);
  s.add("headers-file", values.tracing_headers_file,
        "File with a header for the collector in each line, e.g. \"Authorization: Bearer ...\".")
      .is_a_path();
  s.add("ca-file", x.ca_file, "Certificates to trust instead of the system's, as PEM.").is_a_path();
  s.add("timeout", x.timeout, "For one request to the collector.").between(100ms, 5min);
  s.add("interval", x.interval, "How long spans are gathered for one request.").between(10ms, 1min);
  s.add("queue", x.queue, "Spans that may wait; further ones are dropped and counted.")
      .between(1, 1'000'000);
  s.add("batch", x.batch, "Most spans of one request.").between(1, 10'000);
}

void add_inspection(option_list& out, setting_values& values) {
  section s{out, "inspection"};
  s.add("port", values.inspection.port,
        "Port on 127.0.0.1 where notifyctl actors and notifyctl top see the actors. There is no "
        "login: whoever is on this machine may look. 0: off.")
      .between(0, 65535);
}

void add_scheduler(option_list& out, setting_values& values) {
  section s{out, "scheduler"};
  s.add("max-threads", values.scheduler.max_threads,
        "Threads for the actors that do not block. 0: one per core, at least two.")
      .between(0, 1024);
  s.add("max-throughput", values.scheduler.max_throughput,
        "Messages that an actor handles before it gives way to others.")
      .at_least(1);
}

void add_logging(option_list& out, setting_values& values) {
  auto& x = values.logging;
  section s{out, "logging"};
  s.add("level", x.level,
        {{"debug", log::level::debug},
         {"info", log::level::info},
         {"warning", log::level::warning},
         {"error", log::level::error}},
        "The least that is written, to standard error.");
  s.add("format", x.format, {{"text", log::format::text}, {"json", log::format::json}},
        "Lines for people or for machines.");
  s.add("repeat-interval", x.repeat_interval,
        "Equal warnings that come again within this time are counted and told together; the time "
        "doubles as long as they come. 0s: each is written.")
      .between(0s, 30min);
}

} // namespace

const std::vector<std::string>& channel_names() {
  static const std::vector<std::string> names{"email", "telegram", "webhook"};
  return names;
}

setting_values::setting_values() {
  for (const auto& name : channel_names()) {
    auto& x = service.channels[name];
    if (name != "email")
      x.provider.clear();
    channel_secrets[name];
  }
}

option_list make_options(setting_values& values) {
  option_list result;
  add_service(result, values);
  add_kafka(result, values);
  add_postgres(result, values);
  add_ingest(result, values);
  add_delivery(result, values);
  for (const auto& name : channel_names())
    add_channel(result, name, values.service.channels[name], values.channel_secrets[name]);
  add_reaper(result, values);
  add_retention(result, values);
  add_stats(result, values);
  add_supervision(result, values);
  add_http(result, values);
  add_tracing(result, values);
  add_inspection(result, values);
  add_operators(result, values);
  add_scheduler(result, values);
  add_logging(result, values);
  return result;
}

} // namespace notify

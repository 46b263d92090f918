#include "messages/error.hpp"
#include "tools/bench/database.hpp"
#include "tools/bench/notifyd_run.hpp"
#include "tools/bench/program.hpp"
#include "tools/bench/progress.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <list>
#include <stdexcept>
#include <thread>

// What a channel loses when another one's provider is dead or slow. One backlog of e-mails for the
// `log` provider is burned down alone, and beside a channel of equal size whose relay refuses
// connections, or accepts them and says nothing, and beside a refused one whose breaker is off, so
// that it never stops failing. Each is compared with the runs alone around it.

namespace notify::bench {
namespace {

constexpr cli::option options[] = {
    {"postgres", "URL", "An empty database of this benchmark's own.", {}},
    {"notifyd", "PATH", "The program to measure.", {}},
    {"config-folder", "PATH", "The folder with routes.json and templates.", {}},
    {"jobs", "N", "Notifications of each channel and run.", "100000"},
    {"slots", "N", "Delivery workers of each channel.", "256"},
    {"rounds", "N", "How often each comparison is made; the median is printed.", "3"},
};

struct setup {
  std::string postgres, notifyd, config_folder;
  uint64_t jobs = 0, slots = 0, rounds = 0;
};

/// Accepts every connection and never says a word.
class silent_listener {
public:
  silent_listener() {
    accept();
    thread_ = std::thread{[this] { io_.run(); }};
  }

  ~silent_listener() {
    io_.stop();
    thread_.join();
  }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
  using tcp = boost::asio::ip::tcp;

  void accept() {
    acceptor_.async_accept(sockets_.emplace_back(io_), [this](boost::system::error_code error) {
      if (!error)
        accept();
    });
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::list<tcp::socket> sockets_;
  std::thread thread_;
};

enum class neighbour : uint8_t {
  none,
  dead,   ///< Refuses connections; the breaker opens.
  slow,   ///< Takes connections and says nothing.
  failing ///< Refuses connections, and no breaker keeps the channel from trying on.
};

class benchmark {
public:
  explicit benchmark(setup x) : setup_(std::move(x)), db_(setup_.postgres) {}

  void run();

private:
  void seed(const std::string& channel, const std::string& template_key);
  std::vector<std::string> arguments(neighbour beside) const;

  /// E-mails a second with this neighbour.
  double burn_down(neighbour beside, const std::string& step);
  void compare(neighbour beside, const char* name);

  setup setup_;
  database db_;
  silent_listener silent_;
};

void benchmark::seed(const std::string& channel, const std::string& template_key) {
  auto count = std::to_string(setup_.jobs);
  db_.execute(R"(
    with numbers as (select g, gen_random_uuid() as event_id from generate_series(1, )"
              + count + R"() g),
    events as (
      insert into notify.inbox_events (event_id, type, producer, aggregate_id, correlation_id,
        occurred_at, topic, partition, "offset", traceparent, payload, payload_sha256)
      select event_id, 'order.paid.v1', 'bench', g::text, '', now(), 'bench', 0, g, '',
        '{"order_id":"o-1","email":"user@example.com","total_amount":998000,"currency":"RUB"}', ''
      from numbers),
    jobs as (
      insert into notify.notification_jobs (id, event_id, event_type, channel, recipient,
        template_key, locale)
      select gen_random_uuid(), event_id, 'order.paid.v1', ')"
              + channel + "', 'user-' || g || '@example.com', '" + template_key + R"(', 'en'
      from numbers
      returning id, channel)
    insert into notify.job_queue (job_id, due_at, attempt_no, channel)
    select id, now(), 1, channel from jobs)");
}

std::vector<std::string> benchmark::arguments(neighbour beside) const {
  auto slots = std::to_string(setup_.slots);
  std::vector<std::string> result{"run",
                                  "--service.routes-file=" + setup_.config_folder + "/routes.json",
                                  "--service.templates-folder=" + setup_.config_folder
                                      + "/templates",
                                  "--service.run-ingest=false",
                                  "--service.run-http=false",
                                  "--service.shutdown-timeout=25s",
                                  "--delivery.drain-timeout=1s",
                                  "--postgres.url=" + setup_.postgres,
                                  "--delivery.result-writers=2",
                                  "--channel-email.provider=log",
                                  "--channel-email.slots=" + slots,
                                  "--channel-email.prefetch=" + slots,
                                  "--logging.level=error"};
  if (beside == neighbour::none)
    return result;
  // Port 1 of the loopback refuses.
  auto port = beside == neighbour::slow ? silent_.port() : 1;
  for (const auto& x : {"provider=smtp", "smtp-security=none", "smtp-host=127.0.0.1"})
    result.push_back(std::string{"--channel-telegram."} + x);
  if (beside == neighbour::failing)
    result.push_back("--channel-telegram.breaker-failures=0");
  result.push_back("--channel-telegram.smtp-port=" + std::to_string(port));
  result.push_back("--channel-telegram.slots=" + slots);
  result.push_back("--channel-telegram.prefetch=" + slots);
  result.push_back("--channel-telegram.smtp-max-connections=" + slots);
  return result;
}

double benchmark::burn_down(neighbour beside, const std::string& step) {
  db_.execute("truncate notify.inbox_events, notify.notification_jobs, notify.job_queue,"
              " notify.leases, notify.delivery_attempts");
  seed("email", "order-paid.v1");
  seed("telegram", "order-paid-telegram.v1");
  db_.execute("analyze");
  notifyd_run service{setup_.notifyd, arguments(beside)};
  progress bar{step, setup_.jobs};
  db_.wait_until(service, bar,
                 "select count(*)::float8 from notify.delivery_attempts where result = 'sent'",
                 setup_.jobs);
  service.stop();
  auto seconds = db_.value("select extract(epoch from max(finished_at) - min(started_at))::float8"
                           " from notify.delivery_attempts where result = 'sent'");
  return static_cast<double>(setup_.jobs) / seconds;
}

void benchmark::compare(neighbour beside, const char* name) {
  std::vector<double> shares;
  for (uint64_t i = 0; i < setup_.rounds; ++i) {
    auto before = burn_down(neighbour::none, "alone         ");
    auto together = burn_down(beside, std::string{"beside a "} + name + " one");
    auto after = burn_down(neighbour::none, "alone         ");
    shares.push_back(together / ((before + after) / 2));
    std::printf("beside a %s channel: %.0f jobs/s; alone before %.0f, after %.0f: %.3f\n", name,
                together, before, after, shares.back());
  }
  std::sort(shares.begin(), shares.end());
  std::printf("median beside a %s channel: %.3f of its rate alone\n", name,
              shares[shares.size() / 2]);
}

void benchmark::run() {
  compare(neighbour::dead, "dead");
  compare(neighbour::slow, "slow");
  compare(neighbour::failing, "failing");
}

caf::expected<setup> read_setup(const cli::arguments& args) {
  setup x;
  x.postgres = args.at("postgres");
  x.notifyd = args.at("notifyd");
  x.config_folder = args.at("config-folder");
  if (auto err = read_options(args, {{"jobs", &x.jobs}, {"slots", &x.slots}, {"rounds", &x.rounds}},
                              {"postgres", "notifyd", "config-folder"}))
    return err;
  return x;
}

int run(std::span<const char* const> words) {
  return run_program("notify-bench-isolation", "--postgres=URL --notifyd=PATH --config-folder=PATH",
                     options, words, read_setup, [](const setup& x) { benchmark{x}.run(); });
}

} // namespace
} // namespace notify::bench

int main(int argc, char** argv) {
  std::vector<const char*> words(argv + 1, argv + argc);
  return notify::bench::run(words);
}

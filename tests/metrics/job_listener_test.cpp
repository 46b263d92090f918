#include "actors/job_listener.hpp"

#include "messages/registration.hpp"
#include "tests/persistence/samples.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/wait.hpp"

#include "messages/error.hpp"
#include "messages/type_ids.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_stats_store.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace notify {
namespace {

using namespace test;

/// The listener of one process on a real connection, with somebody in the dispatcher's place.
struct listener_fixture {
  struct system_config : caf::actor_system_config {
    system_config() { register_messages(*this); }
  };

  ~listener_fixture() {
    caf::scoped_actor self{system};
    self->send_exit(listener, caf::exit_reason::user_shutdown);
    self->wait_for(listener);
    dir->clear();
  }

  void start(const std::string& url) {
    auto counted = system.spawn([hints = hints](caf::event_based_actor*) -> caf::behavior {
      return {[hints](const jobs_ready&) { ++*hints; }};
    });
    dir->put(actor_names::dispatcher, caf::actor_cast<caf::strong_actor_ptr>(counted));
    job_listener_config config;
    config.channels = {"email"};
    config.probe_interval = 200ms;
    config.probe_timeout = 500ms;
    config.metrics = metrics;
    auto postgres = db.config();
    postgres.url = url;
    postgres.connect_timeout = 2s;
    auto line = std::make_shared<pg_notice_line>(postgres, "notify_jobs", true, 500ms);
    listener = system.spawn<caf::detached>(job_listener, config, line, signal, dir);
  }

  bool is_up() const { return metrics->listener.up.Value() == 1; }

  bool comes_up() {
    return eventually([&] { return is_up(); });
  }

  bool goes_down() {
    return eventually([&] { return !is_up(); });
  }

  /// Another process stores jobs: true once the dispatcher hears of it.
  bool others_are_heard() {
    auto before = metrics->listener.notices.Value();
    db.query("select pg_notify('notify_jobs', 'email')");
    return eventually([&] { return metrics->listener.notices.Value() > before; });
  }

  system_config setup;
  postgres_fixture db;
  caf::actor_system system{setup};
  metrics_ptr metrics = private_metrics();
  std::shared_ptr<job_signal> signal = std::make_shared<job_signal>();
  std::shared_ptr<std::atomic<int>> hints = std::make_shared<std::atomic<int>>(0);
  directory_ptr dir = std::make_shared<directory>();
  job_listener_actor listener;
};

TEST_CASE_METHOD(listener_fixture, "what one process stores, another one hears") {
  start(db.url());
  REQUIRE(comes_up());
  pg_notice_line other{db.config(), "notify_jobs", true, 5s};
  REQUIRE_FALSE(other.open());
  signal->raise({"email", "telegram"});
  std::vector<notice_line::notice> heard;
  CHECK(eventually([&] {
    auto some = other.hear(100ms, -1);
    for (const auto& x : *some)
      if (!x.text.starts_with("probe:"))
        heard.push_back(x);
    return !heard.empty();
  }));
  CHECK(heard.at(0).text == "email,telegram");
  CHECK_FALSE(heard.at(0).is_own);
  CHECK(others_are_heard());
}

TEST_CASE_METHOD(listener_fixture, "Q-B18: a listener whose session is ended listens again, and "
                                   "looks for what it missed") {
  start(db.url());
  REQUIRE(comes_up());
  for (const auto* role : {"listen", "notify"}) {
    int before = *hints;
    REQUIRE(db.terminate(role) == 1);
    CHECK(eventually([&] { return *hints > before; }));
    REQUIRE(comes_up());
    CHECK(others_are_heard());
  }
}

TEST_CASE_METHOD(listener_fixture, "Q-B18: a listener whose connection only stays silent gets "
                                   "another one") {
  tcp_proxy proxy{port_of(db.url())};
  start(proxy.in_front_of(db.url()));
  REQUIRE(comes_up());
  int before = *hints;
  proxy.half_open();
  REQUIRE(goes_down());
  proxy.restore();
  REQUIRE(comes_up());
  CHECK(*hints > before);
  CHECK(others_are_heard());
}

/// A pgbouncer in transaction mode in front of a server.
class pooler {
public:
  explicit pooler(uint16_t upstream) {
    port_ = free_port();
    folder_ = std::filesystem::temp_directory_path() / ("notify-pooler-" + std::to_string(port_));
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, std::filesystem::perms::all);
    auto file = folder_ / "pgbouncer.ini";
    std::ofstream{file} << "[databases]\n* = host=127.0.0.1 port=" << upstream
                        << " user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = "
                        << port_
                        << "\nauth_type = any\npool_mode = transaction\nunix_socket_dir =\n"
                           "ignore_startup_parameters = extra_float_digits\n";
    pid_ = fork();
    if (pid_ == 0) {
      execlp("pgbouncer", "pgbouncer", "-q", "-u", "nobody", file.c_str(), nullptr);
      _exit(127);
    }
  }

  ~pooler() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  pooler(const pooler&) = delete;
  pooler& operator=(const pooler&) = delete;

  std::string url(const std::string& database) const {
    return "postgresql://postgres@127.0.0.1:" + std::to_string(port_) + "/" + database;
  }

private:
  static uint16_t free_port() {
    auto fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    close(fd);
    return ntohs(address.sin_port);
  }

  std::filesystem::path folder_;
  uint16_t port_ = 0;
  pid_t pid_ = -1;
};

TEST_CASE_METHOD(listener_fixture, "Q-B18: behind a pooler in transaction mode the listener says "
                                   "that it hears nothing") {
  pooler between{port_of(db.url())};
  start(between.url(db.name()));
  auto last_error = [&] {
    caf::scoped_actor self{system};
    std::string result;
    self->request(listener, 5s, get_status{})
        .receive([&](const actor_status& x) { result = x.last_error; }, [](const caf::error&) {});
    return result;
  };
  CHECK(eventually([&] { return last_error().find("pooler") != std::string::npos; }));
  CHECK_FALSE(is_up());
}

TEST_CASE_METHOD(listener_fixture, "Q-B19: a session that listens in a transaction fills the "
                                   "queue of notices: it shows, and ingest goes on") {
  start(db.url());
  REQUIRE(comes_up());
  pg_stats_store stats{db.config(), 5s};
  auto usage = [&] {
    auto health = stats.health();
    REQUIRE(health);
    return health->figures.at("notify_queue_usage");
  };
  raw_connection holder{db.url()};
  holder.query("listen anything; begin; select 1");
  auto before = usage();
  raw_connection flood{db.url()};
  // Each text another one: equal ones of a transaction are one notice.
  flood.query("select count(pg_notify('anything', rpad(g::text, 7900, 'x'))) "
              "from generate_series(1, 20000) g");
  CHECK(usage() > before);
  // Ingest does not depend on it.
  signal->raise({"email"});
  ingest(db, 20);
  CHECK(db.value("select count(*) from notify.job_queue") == "20");
  holder.query("rollback");
  CHECK(eventually([&] { return usage() <= before + 0.01; }));
}

} // namespace
} // namespace notify

#include "tools/bench/database.hpp"

#include "messages/error.hpp"
#include "tools/bench/notifyd_run.hpp"
#include "tools/bench/progress.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace notify::bench {

namespace {

postgres_config config_of(const std::string& url) {
  postgres_config result;
  result.url = url;
  return result;
}

} // namespace

database::database(const std::string& url) : db_(config_of(url), "bench", planner::free) {}

double database::value(const std::string& query) {
  auto result = db_.run([&] {
    double number = 0;
    soci::indicator present = soci::i_ok;
    db_.sql() << query, soci::into(number, present);
    return present == soci::i_ok ? number : 0;
  });
  ++own_commits_;
  if (!result)
    throw std::runtime_error{render(result.error())};
  return *result;
}

void database::execute(const std::string& statement) {
  auto result = db_.run([&] {
    db_.sql() << statement;
    return true;
  });
  ++own_commits_;
  if (!result)
    throw std::runtime_error{render(result.error())};
}

int64_t database::commits() {
  // Backends that ended have reported everything; ours reports within a second at most, and its
  // part is subtracted anyway.
  auto all = value("select xact_commit::float8 from pg_stat_database"
                   " where datname = current_database()");
  return static_cast<int64_t>(all) - own_commits_;
}

void database::wait_until(notifyd_run& service, progress& bar, const std::string& count_query,
                          uint64_t wanted) {
  for (;;) {
    auto done = static_cast<uint64_t>(value(count_query));
    bar.show(done);
    if (done >= wanted)
      break;
    service.check();
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  bar.finish();
}

} // namespace notify::bench

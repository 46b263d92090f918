#include "tests/kill/kill_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

TEST_CASE("an actor that crashes too often ends the process with exit code 5 and the reason") {
  kill_fixture fixture;
  fixture.seed(20);
  // Answers of the database that cannot be: results are recorded for attempts that nobody made.
  // Code that meets them throws, and does so again in each new life.
  fixture.db.query("create sequence notify.confusion start 1000;"
                   "create function notify.confuse() returns trigger language plpgsql as"
                   " $$ begin new.attempt_no := nextval('notify.confusion'); return new; end $$;"
                   "create trigger confuse before insert on notify.delivery_attempts"
                   " for each row execute function notify.confuse()");
  auto program =
      fixture.start("one", {"--supervision.max-crashes=2", "--supervision.first-delay=1ms",
                            "--supervision.max-delay=1ms", "--delivery.drain-timeout=0s"});
  CHECK(program.wait() == 5);
  auto output = program.output();
  CHECK(output.find("result-writer-0") != std::string::npos);
  CHECK(output.find("\"message\":\"the service failed\"") != std::string::npos);
  CHECK(output.find("too_many_restarts") != std::string::npos);
  CHECK(output.find("\"exit_code\":5") != std::string::npos);
}

} // namespace
} // namespace notify::test

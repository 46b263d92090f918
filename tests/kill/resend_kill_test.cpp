#include "tests/kill/kill_fixture.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// A provider that honours idempotency keys closes the window in which others get a message twice.

namespace notify::test {
namespace {

constexpr size_t rounds = 25;

std::vector<std::string> to_resend(const kill_fixture& fixture, const temp_folder& folder) {
  return {"--channel-email.provider=resend",
          "--channel-email.resend-api-url=http://127.0.0.1:"
              + std::to_string(fixture.provider.http_port()),
          "--channel-email.resend-key-file=" + folder.write("key", "re_secret\n"),
          "--channel-email.resend-from=shop@example.com"};
}

TEST_CASE("processes that die between a yes of Resend and its record send nothing twice") {
  kill_fixture fixture;
  temp_folder folder;
  auto resend = to_resend(fixture, folder);
  fixture.seed(300);
  fixture.provider.set_script(R"([{"action": {"do": "hold"}}])");
  size_t unrecorded = 0;
  for (size_t round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto victim = fixture.start("victim", resend);
    REQUIRE(eventually([&] { return fixture.provider.waiting() > round % 4; }));
    victim.signal(SIGKILL);
    CHECK(victim.wait() == 128 + SIGKILL);
    unrecorded = fixture.accepted_unrecorded("victim").size();
    fixture.check_invariants();
  }
  CHECK(unrecorded >= rounds);
  fixture.finish(resend);
  fixture.check_invariants();
  CHECK(unfinished_work(fixture.db) == nothing);
  // No job more than once, although so many were asked for again.
  CHECK(broken_deliveries(fixture.db, fixture.accepted()) == nothing);
  size_t repeated = 0;
  for (const auto& mail : fixture.provider.tallies()) {
    CHECK(mail.accepted == 1);
    repeated += mail.requests > 1 ? 1 : 0;
  }
  CHECK(repeated >= unrecorded);
  // The same key never came with other words.
  for (const auto& one : fixture.provider.records())
    CHECK(one.answered != 409);
}

} // namespace
} // namespace notify::test

#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

namespace notify::test {
namespace {

/// Adds jobs of the same and of newer moments as long as it lives.
class newcomers {
public:
  explicit newcomers(const std::string& url) : thread_([this, url] { run(url); }) {}
  ~newcomers() {
    is_over_ = true;
    thread_.join();
  }

private:
  void run(const std::string& url) {
    raw_connection db{url};
    for (int g = 0; !is_over_; ++g)
      db.query("insert into notify.notification_jobs (id, event_id, created_at, event_type, "
               "channel, recipient, template_key, locale, status, dead_reason, finished_at) "
               "select gen_random_uuid(), gen_random_uuid(), case when "
               + std::to_string(g % 3)
               + " = 0 then now() else (select created_at from notify.notification_jobs "
                 "order by random() limit 1) end, 't', 'email', 'user3@example.com', 'k', 'en', "
                 "'dead', 'x', now()");
  }

  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST_CASE_METHOD(populated_fixture, "D-G5: pages repeat nothing and skip nothing that was there, "
                                    "while rows are being added") {
  std::mt19937 random{20'260'901};
  notification_filter all, dead, hers;
  dead.status = "dead";
  hers.recipient = "user3@example.com";
  const std::vector<std::pair<notification_filter, std::string>> questions{
      {all, "true"}, {dead, "n.status = 'dead'"}, {hers, "n.recipient = 'user3@example.com'"}};
  for (int round = 0; round < 12; ++round) {
    const auto& [filter, condition] = questions[static_cast<size_t>(round) % questions.size()];
    auto before = expected(condition);
    newcomers others{db.url()};
    list_notifications question{filter, 0, ""};
    strings seen;
    do {
      question.limit = 1 + static_cast<uint32_t>(random() % 40);
      auto page = required(reads.list(question));
      for (const auto& x : page.items)
        seen.push_back(to_string(x.id));
      question.cursor = page.next;
    } while (!question.cursor.empty());
    std::set<std::string> distinct{seen.begin(), seen.end()};
    CHECK(distinct.size() == seen.size());
    auto missing = std::count_if(before.begin(), before.end(),
                                 [&](const auto& id) { return distinct.count(id) == 0; });
    CHECK(missing == 0);
  }
}

} // namespace
} // namespace notify::test

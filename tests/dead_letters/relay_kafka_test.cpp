#include "actors/kafka/admin.hpp"
#include "tests/dead_letters/relay_process.hpp"
#include "tests/dead_letters/store_fixture.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <atomic>
#include <map>

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// The database, except that marks can be refused.
class forgetful_store : public pg_dead_letter_store {
public:
  using pg_dead_letter_store::pg_dead_letter_store;

  caf::expected<uint64_t> mark_published(const std::vector<published_letter>& some) override {
    ++marks;
    return caf::make_error(ec::storage_unavailable, "refused " + std::to_string(some.size()));
  }

  std::atomic<size_t> marks{0};
};

struct kafka_fixture : letter_store_fixture {
  void make_topic(const kafka::properties& settings = {}) {
    auto admin = kafka::admin::create({brokers}, "test");
    REQUIRE(admin);
    REQUIRE(admin->create_missing({{topic, 2, settings}}, 30s));
    REQUIRE_FALSE(admin->wait_for({topic}, 30s));
  }

  letter_relay_store_ptr store() { return std::make_shared<pg_dead_letter_store>(db.config()); }

  bool all_published() {
    return eventually([&] {
      return db.value("select count(*) from notify.dead_letters where published_at is null") == "0";
    });
  }

  std::map<std::string, kafka_record> by_id(size_t count) {
    std::map<std::string, kafka_record> result;
    for (auto& x : read_topic(brokers, topic, count))
      CHECK(result.emplace(header_of(x.headers, "notify-dlq-id"), x).second);
    CHECK(result.size() == count);
    return result;
  }

  std::string brokers = environment("NOTIFY_TEST_KAFKA");
  std::string topic = unique_name("dlq");
};

TEST_CASE_METHOD(kafka_fixture, "K-6: tombstones and empty values leave as they came") {
  auto with_key = text_letter(1, "");
  with_key.record.value = {};
  auto without_key = with_key;
  without_key.record.offset = 2;
  without_key.record.key = {};
  auto empty = text_letter(3, "");
  auto odd = sample_letter(4);
  add({with_key, without_key, empty, odd});
  make_topic();
  relay_process relay{store(), brokers, quick_relay(topic)};
  REQUIRE(all_published());
  auto records = by_id(4);
  CHECK(records["1"].key == with_key.record.key);
  CHECK(records["1"].value == nullable_bytes{});
  CHECK(records["2"].key == nullable_bytes{});
  CHECK(records["2"].value == nullable_bytes{});
  CHECK(records["3"].value == nullable_bytes{true, ""});
  CHECK(records["4"].key == odd.record.key);
  CHECK(records["4"].value == odd.record.value);
  auto& headers = records["4"].headers;
  REQUIRE(headers.size() > 3);
  CHECK(std::vector(headers.begin(), headers.begin() + 3) == odd.record.headers);
}

TEST_CASE_METHOD(kafka_fixture,
                 "K-5: a record above the topic's limit leaves a stub, others pass") {
  // Bytes that no compression makes small.
  std::string noise;
  for (int i = 0; i < 30'000; ++i)
    noise += to_string(uuid::random()).substr(0, 8);
  add({text_letter(1, "small"), text_letter(2, noise), text_letter(3, "small")});
  make_topic({{"max.message.bytes", "20000"}});
  relay_process relay{store(), brokers, quick_relay(topic)};
  REQUIRE(all_published());
  auto records = by_id(3);
  CHECK(records["1"].value.bytes == "small");
  CHECK(records["3"].value.bytes == "small");
  CHECK_FALSE(records["2"].value.present);
  CHECK(header_of(records["2"].headers, "notify-dlq-stub") == "too_large");
  CHECK(header_of(records["2"].headers, "notify-dlq-value-bytes") == std::to_string(noise.size()));
  CHECK(row(2, "publish_note, octet_length(value)")
        == std::vector<std::string>{"too_large", std::to_string(noise.size())});
}

TEST_CASE_METHOD(kafka_fixture, "K-5: a missing topic keeps the letters until it exists") {
  add({text_letter(1, "x"), text_letter(2, "y")});
  relay_process relay{store(), brokers, quick_relay(topic)};
  REQUIRE(eventually([&] { return relay.status().state == "parked"; }));
  CHECK(db.value("select count(*) from notify.dead_letters where published_at is null") == "2");
  make_topic();
  REQUIRE(all_published());
  by_id(2);
  CHECK(eventually([&] { return relay.status().state == "running"; }));
}

TEST_CASE_METHOD(kafka_fixture,
                 "K-5: a relay killed between acknowledgement and mark doubles one id at most") {
  add({text_letter(1, "x")});
  make_topic();
  auto forgetful = std::make_shared<forgetful_store>(db.config());
  {
    relay_process first{forgetful, brokers, quick_relay(topic)};
    REQUIRE(eventually([&] { return forgetful->marks > 0; }));
    first.kill();
  }
  // A killed relay leaves its lease behind, which runs out.
  db.query("update notify.relay_leases set lease_until = now()");
  relay_process second{store(), brokers, quick_relay(topic)};
  REQUIRE(all_published());
  auto records = read_topic(brokers, topic, 2);
  REQUIRE(records.size() == 2);
  for (const auto& x : records)
    CHECK(header_of(x.headers, "notify-dlq-id") == "1");
}

TEST_CASE_METHOD(kafka_fixture, "two relays publish each letter once") {
  std::vector<stored_letter> many;
  for (int64_t id = 1; id <= 300; ++id)
    many.push_back(text_letter(id, "x"));
  make_topic();
  auto config = quick_relay(topic);
  config.timing.batch_letters = 20;
  relay_process first{store(), brokers, config};
  relay_process second{store(), brokers, config};
  add(many);
  REQUIRE(all_published());
  by_id(300);
}

} // namespace
} // namespace notify

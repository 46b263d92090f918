#include "tests/tools/settings_fixture.hpp"

namespace notify {
namespace {

using test::settings_fixture;

TEST_CASE_METHOD(settings_fixture, "the topic of dead letters must not be read") {
  CHECK(refusal("[kafka]\ntopics=[\"a\", \"dlq\"]\ndead-letter-topic=\"dlq\"\n")
        == "kafka.dead-letter-topic (\"dlq\") must not be read by kafka.topics, but \"dlq\" is the "
           "same topic");
  CHECK(refusal("[kafka]\ntopics=[\"^notifications[.]\"]\n")
        == "kafka.dead-letter-topic (\"notifications.dlq.v1\") must not be read by kafka.topics, "
           "but \"^notifications[.]\" matches it");
  CHECK(good("[kafka]\ntopics=[\"^orders[.]\", \"notifications\"]\n")->service().dead_letters.topic
        == "notifications.dlq.v1");
  CHECK(good("[kafka]\ntopics=[\"^\"]\ndead-letter-topic=\"\"\n")
            ->service()
            .dead_letters.topic.empty());
}

TEST_CASE_METHOD(settings_fixture, "the topic of dead letters must be a topic's name") {
  CHECK(refusal("[kafka]\ndead-letter-topic=\"a b\"\n").starts_with("kafka.dead-letter-topic"));
  CHECK(refusal("[kafka]\ndead-letter-topic=\"..\"\n").starts_with("kafka.dead-letter-topic"));
}

} // namespace
} // namespace notify

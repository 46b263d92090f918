#include "actors/kafka/first_start.hpp"

#include "actors/kafka/conf.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

namespace notify::kafka {

namespace {

/// Well below the time within which a member must poll again.
constexpr int answer_millis = 5000;

} // namespace

caf::error first_start::place(rd_kafka_t* client, rd_kafka_topic_partition_list_t& assigned) const {
  partition_list_ptr asked{rd_kafka_topic_partition_list_new(assigned.cnt)};
  for (int i = 0; i < assigned.cnt; ++i)
    if (const auto& x = assigned.elems[i]; applies_to({x.topic, x.partition}))
      rd_kafka_topic_partition_list_add(asked.get(), x.topic, x.partition);
  if (asked->cnt == 0)
    return caf::none;
  auto code = rd_kafka_committed(client, asked.get(), answer_millis);
  for (int i = 0; i < asked->cnt && code == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    code = asked->elems[i].err;
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "the group's committed offsets");
  for (int i = 0; i < asked->cnt; ++i) {
    const auto& x = asked->elems[i];
    if (x.offset != RD_KAFKA_OFFSET_INVALID)
      continue;
    auto from = begin_of({x.topic, x.partition});
    rd_kafka_topic_partition_list_set_offset(&assigned, x.topic, x.partition, from);
    log::info("kafka-consumer", "partition is read for the first time",
              {{"topic", x.topic}, {"partition", x.partition}, {"from", rule_}});
  }
  return caf::none;
}

bool first_start::applies_to(const topic_partition& where) const {
  return rule_ != "error" && !was_read(where);
}

std::string first_start::stall_reason(const topic_partition& where, int64_t wanted) const {
  if (wanted >= 0)
    return "the committed offset " + std::to_string(wanted)
           + " is out of range: its records are gone, or the topic is another one";
  if (was_read(where))
    return "the group has no committed offset, although records were stored: it was lost";
  return "the group has no committed offset, and kafka.first-start is error";
}

bool first_start::was_read(const topic_partition& where) const {
  return read_before_.contains({where.topic, where.partition});
}

int64_t first_start::begin_of(const topic_partition& where) const {
  // The group has no offset, so nobody committed after us: going on there skips nothing.
  if (auto i = stored_.find(where); i != stored_.end())
    return i->second;
  return rule_ == "earliest" ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END;
}

} // namespace notify::kafka

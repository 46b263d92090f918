#include "actors/record_buffer.hpp"

#include "tests/actors/ingest/sample_records.hpp"

namespace notify {
namespace {

using kafka::topic_partition;

const topic_partition p0{"orders", 0};
const topic_partition p1{"orders", 1};

record_buffer filled(int records, int partitions) {
  record_buffer result;
  for (int offset = 0; offset < records; ++offset)
    for (int partition = 0; partition < partitions; ++partition)
      result.push(test::record(offset, "value", partition));
  return result;
}

bool never(const topic_partition&) {
  return false;
}

TEST_CASE("a partition's records leave together and in order") {
  auto buffer = filled(3, 2);
  auto taken = buffer.take(10, never);
  REQUIRE(taken.size() == 6);
  for (size_t i = 1; i < taken.size(); ++i)
    if (taken[i].partition == taken[i - 1].partition)
      CHECK(taken[i].offset == taken[i - 1].offset + 1);
  CHECK(buffer.records() == 0);
  CHECK(buffer.bytes() == 0);
}

TEST_CASE("records of a busy partition stay") {
  auto buffer = filled(3, 2);
  auto taken = buffer.take(10, [](const topic_partition& x) { return x == p0; });
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].partition == 1);
  CHECK(buffer.records() == 3);
  CHECK(buffer.take(10, never).size() == 3);
}

TEST_CASE("every partition has its turn") {
  auto buffer = filled(4, 3);
  std::vector<int32_t> order;
  for (int i = 0; i < 6; ++i) {
    auto taken = buffer.take(2, never);
    REQUIRE(taken.size() == 2);
    order.push_back(taken[0].partition);
  }
  CHECK(order == std::vector<int32_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a dropped partition leaves nothing behind") {
  auto buffer = filled(3, 2);
  auto all = buffer.bytes();
  buffer.drop(p1);
  CHECK(buffer.records() == 3);
  CHECK(buffer.bytes() == all / 2);
  buffer.drop(p1);
  CHECK(buffer.records() == 3);
  buffer.clear();
  CHECK(buffer.bytes() == 0);
  CHECK(buffer.take(10, never).empty());
}

TEST_CASE("the size of a record counts everything that can be large") {
  auto small = test::record(0, "");
  auto large = small;
  large.key.bytes += std::string(100, 'k');
  large.value.bytes += std::string(1000, 'v');
  large.headers.push_back({std::string(10, 'n'), {true, std::string(20, 'h')}});
  CHECK(footprint(large) >= footprint(small) + 1130);
}

} // namespace
} // namespace notify

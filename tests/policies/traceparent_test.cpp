#include "actors/traceparent.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

const std::string valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST_CASE("a valid trace context is kept as it is") {
  CHECK(read_traceparent(valid) == valid);
  auto unsampled = valid.substr(0, 53) + "00";
  CHECK(read_traceparent(unsampled) == unsampled);
}

TEST_CASE("a trace context of a later version is read by its known prefix") {
  auto rest = valid.substr(2);
  CHECK(read_traceparent("cc" + rest) == valid);
  CHECK(read_traceparent("cc" + rest + "-what-the-future-will-be-like") == valid);
  CHECK(read_traceparent("cc" + rest.substr(0, 51) + "0d") == valid);
  CHECK(read_traceparent("cc" + rest.substr(0, 51) + "0e") == valid.substr(0, 53) + "00");
  CHECK(read_traceparent("01" + rest) == valid);
  CHECK(read_traceparent("fe" + rest) == valid);
  CHECK(read_traceparent("cc" + rest + "-") == valid);
  CHECK(read_traceparent("cc" + rest + ".what") == "");
  CHECK(read_traceparent("cc" + rest.substr(0, 52)) == "");
}

TEST_CASE("an invalid trace context is ignored") {
  using namespace std::string_literals;
  for (const auto& text :
       {""s, "\xC3\x28"s, "00"s, valid + "-00"s, valid + " "s, " "s + valid,
        "ff"s + valid.substr(2), "FE"s + valid.substr(2), "ff"s + valid.substr(2) + "-more",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01"s,
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"s,
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"s,
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01"s,
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x"s,
        "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"s,
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"s,
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01"s,
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01"s, std::string(55, '\0')}) {
    INFO(text);
    CHECK(read_traceparent(text).empty());
  }
}

} // namespace
} // namespace notify

#include "tools/command_line.hpp"

#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace notify::cli {
namespace {

constexpr std::array known = {
    option{"count", "N", "how many", "1"},
    option{"email", "ADDRESS", "to whom", ""},
    option{"raw", "", "as it is", ""},
};

caf::expected<arguments> read(std::vector<const char*> words) {
  return parse(words, known);
}

std::string refusal(std::vector<const char*> words) {
  auto result = parse(words, known);
  REQUIRE_FALSE(result);
  CHECK(result.error() == ec::invalid_config);
  return message(result.error());
}

TEST_CASE("a value stands after an equals sign or as the next word") {
  CHECK(read({"--count=3"})->at("count") == "3");
  CHECK(read({"--count", "3"})->at("count") == "3");
  CHECK(read({"--email=a=b"})->at("email") == "a=b");
  CHECK(read({"--email="})->at("email").empty());
}

TEST_CASE("an option that is not given has its fallback, or nothing") {
  auto result = read({});
  REQUIRE(result);
  CHECK(result->at("count") == "1");
  CHECK_FALSE(result->has("email"));
  CHECK_FALSE(result->has("raw"));
}

TEST_CASE("words that are no options keep their order") {
  auto result = read({"a", "--raw", "b", "--", "--count"});
  REQUIRE(result);
  CHECK(result->rest == std::vector<std::string>{"a", "b", "--count"});
  CHECK(result->has("raw"));
}

TEST_CASE("an unknown option is refused with the nearest known one") {
  CHECK(refusal({"--cuont=3"}) == "unknown option --cuont, did you mean --count?");
  CHECK(refusal({"--zzzzzzz"}) == "unknown option --zzzzzzz");
  CHECK(refusal({"-c"}) == "unknown option -c");
}

TEST_CASE("a flag with a value, a value that is missing and an option given twice are refused") {
  CHECK(refusal({"--raw=yes"}) == "--raw takes no value");
  CHECK(refusal({"--count"}) == "--count needs a value: N");
  CHECK(refusal({"--count=1", "--count=2"}) == "--count is given twice");
}

TEST_CASE("a number must be one and within its bounds") {
  auto text = GENERATE("0", "11", "-1", "1x", "", "99999999999999999999");
  arguments from;
  from.options["count"] = text;
  auto result = number(from, "count", 1, 10);
  REQUIRE_FALSE(result);
  CHECK(message(result.error()).find("--count must be a number from 1 to 10") == 0u);
}

TEST_CASE("the bounds of a number belong to it") {
  arguments from;
  from.options["count"] = "10";
  CHECK(*number(from, "count", 1, 10) == 10);
  CHECK(*number(from, "count", 10, 20) == 10);
}

TEST_CASE("help names every option with its fallback") {
  auto text = describe(known);
  CHECK(text.find("--count=N") != std::string::npos);
  CHECK(text.find("(default: 1)") != std::string::npos);
  CHECK(text.find("--raw  ") != std::string::npos);
}

TEST_CASE("a list is split at its commas") {
  CHECK(split_list("a,b").size() == 2u);
  CHECK(split_list(",a,,").size() == 1u);
  CHECK(split_list("").empty());
}

} // namespace
} // namespace notify::cli

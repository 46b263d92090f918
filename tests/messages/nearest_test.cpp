#include "messages/nearest.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

TEST_CASE("the nearest name is found through usual slips") {
  const std::vector<std::string> names = {"recipient", "channel", "template", "locale",
                                          "default_locale"};
  CHECK(nearest("recipent", names) == "recipient");
  CHECK(nearest("recipients", names) == "recipient");
  CHECK(nearest("chanel", names) == "channel");
  CHECK(nearest("cahnnel", names) == "channel");
  CHECK(nearest("CHANNEL", names) == "channel");
  CHECK(nearest("tempalte", names) == "template");
  CHECK(nearest("default-locale", names) == "default_locale");
  CHECK(nearest("locale", names) == "locale");
}

TEST_CASE("a word that is near to nothing has no nearest name") {
  CHECK(nearest("colour", {"recipient", "channel"}).empty());
  CHECK(nearest("xyz", {"abc"}).empty());
  CHECK(nearest("ab", {"cd"}).empty());
  CHECK(nearest("anything", {}).empty());
  CHECK(nearest("", {"recipient"}).empty());
}

TEST_CASE("the first of equally near names is taken") {
  CHECK(nearest("cat", {"bat", "hat"}) == "bat");
}

} // namespace
} // namespace notify

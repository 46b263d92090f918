#include "actors/sha256.hpp"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

namespace notify {
namespace {

TEST_CASE("SHA-256 gives the digests of its standard") {
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(sha256("abc"))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(sha256(std::string(1000000, 'a')))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("lists of parts that join to the same text have different digests") {
  CHECK(sha256_of_parts({"ab", "c"}) != sha256_of_parts({"a", "bc"}));
  CHECK(sha256_of_parts({"a"}) != sha256_of_parts({"a", ""}));
  CHECK(sha256_of_parts({}) == sha256(""));
  CHECK(sha256_of_parts({"ab"}) == sha256({"\0\0\0\2ab", 6}));
}

TEST_CASE("threads do not disturb each other's digests") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 2000; ++i)
        wrong[t] += to_hex(sha256("abc")).substr(0, 8) == "ba7816bf" ? 0 : 1;
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4));
}

} // namespace
} // namespace notify

#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

namespace notify::test {

/// What tools/dev/test exported under this name, e.g. `NOTIFY_TEST_KAFKA`. Fails the test if there
/// is nothing: a test that silently skips tests nothing.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0')
    FAIL(name << " is not set: run the tests with tools/dev/test");
  return value;
}

} // namespace notify::test

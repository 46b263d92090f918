#pragma once

#include "tools/fake_provider/script.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <stdexcept>
#include <string_view>
#include <vector>

namespace notify::fake {

/// The text is not a script; `what()` says which rule and member, for the person who wrote it.
class script_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads a list of rules as docs/fake-provider.md describes it. Throws `script_error`.
std::vector<rule> read_script(std::string_view json);

/// How often each rule was seen and used, in their order.
boost::json::array rule_counts(const script& from);

} // namespace notify::fake

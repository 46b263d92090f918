#pragma once

#include "tools/settings.hpp"

#include <chrono>
#include <string>
#include <vector>

// `notifyctl doctor`: looks at everything that the service needs, changes nothing, and says of each
// what is wrong and how to repair it.

namespace notify::doctor {

enum class verdict { ok, warning, failure };

struct finding {
  verdict what = verdict::ok;
  std::string check; ///< Stable name, e.g. `schema`.
  std::string text;  ///< What was found.
  std::string fix;   ///< What to do about it; empty if it is fine.
};

using findings = std::vector<finding>;

/// Routes, templates, channels, and who may read the files with secrets.
void examine_files(const settings& config, findings& out);

/// The database: reachable, writable, of the right version, whole.
void examine_database(const settings& config, findings& out);

/// The brokers, the topics and the consumer group.
void examine_kafka(const settings& config, std::chrono::seconds timeout, findings& out);

/// This machine's clock and ports, and the service on them if it runs.
void examine_machine(const settings& config, std::chrono::seconds timeout, findings& out);

/// The worst of all; fine if there are none.
verdict worst_of(const findings& list);

std::string to_string(verdict x);

} // namespace notify::doctor

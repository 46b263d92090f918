#pragma once

#include "persistence/delivery_statements.hpp"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace notify::test {

/// What came of a run: what the checks found, by name, and what happened on the way.
struct careless_report {
  std::map<std::string, int> violations; ///< Only those that were found.
  std::string last_error;
  int late = 0;      ///< Successes that came after their attempt was abandoned.
  int abandoned = 0; ///< Jobs that the reapers took from a lease.
};

std::ostream& operator<<(std::ostream& out, const careless_report& x);

/// How much is run.
struct careless_load {
  uint64_t jobs = 3000;
  int workers = 4;
  int turns = 150; ///< Claims of each worker, before one more clears up what they left.
  unsigned seed = 1;
};

/// Lets workers that die, answer late, wrongly, in part or twice, and give back what is not theirs
/// to give, work against two reapers with very short leases, in a database of its own, and checks
/// at every instant and in the end that no job is lost, doubled or forgotten. Ends early once a
/// check found something.
careless_report run_careless_workers(const delivery_statements& statements,
                                     const careless_load& load);

} // namespace notify::test

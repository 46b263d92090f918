#include "actors/random.hpp"

#include <random>

namespace notify {

double random_unit() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_real_distribution<double>{0.0, 1.0}(engine);
}

} // namespace notify

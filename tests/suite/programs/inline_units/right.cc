#include "shared.h"

int from_right(int n) {
  std::vector<long> values(static_cast<std::size_t>(n), digits(n));
  Doubler doubler;
  return static_cast<int>(clamp_sum(values, 50L)) + doubler.next();
}

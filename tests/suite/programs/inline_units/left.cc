#include "shared.h"

int from_left(int n) {
  std::vector<int> values;
  for (int i = 0; i < n; i++) values.push_back(digits(i));
  return clamp_sum(values, 20);
}
Counter *make_counter(bool doubling) { return doubling ? new Doubler : new Counter; }

#include <cstdio>
#include <memory>
#include "shared.h"

int main() {
  int sum = 0;
  for (int i = 0; i < 30; i++) sum += digits(i * i) + from_left(i) + from_right(i);
  std::unique_ptr<Counter> plain(make_counter(false)), doubling(make_counter(true));
  for (int i = 0; i < 10; i++) sum += plain->next() + doubling->next();
  std::printf("%d %d\n", sum, clamp_sum<int>({1, 2, 3}, 4));
}

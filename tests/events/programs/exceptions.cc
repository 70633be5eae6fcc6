/* Landing pads, cleanups, rethrowing, exceptions through recursion and constructors. */
#include <stdexcept>

#include "../query.h"

static int live;

struct Guard {
  int n;
  explicit Guard(int value) : n(value) {
    ++live;
    if (n == 13) throw std::runtime_error("unlucky");
  }
  ~Guard() {
    --live;
    for (int i = 0; i < n % 3; ++i) live += i & 1 ? 1 : -1, live += i & 1 ? -1 : 1;
    if (n == 4) QUERY(0);
  }
};

static __attribute__((noinline)) int descend(int n) {
  Guard guard(n);
  if (n == 0) throw n + 40;
  if (n % 5 == 4) {
    try {
      return descend(n - 1) + 1;
    } catch (int value) {
      QUERY(0);
      if (value > 41) throw;
      throw value + 1;
    }
  }
  return descend(n - 1) + n;
}

static __attribute__((noinline)) int survive(int n) {
  try {
    return descend(n);
  } catch (const std::exception &) {
    QUERY(0);
    return -1;
  } catch (int value) {
    QUERY(0);
    return value;
  }
}

struct Static {
  Static() { QUERY(0); }
  ~Static() { QUERY(0); }
} before_main;

int main() {
  int sum = 0;
  for (int n : {3, 14, 5}) {
    sum += survive(n);
    QUERY(0);
  }
  return live + (sum > 0 ? 0 : 1);
}

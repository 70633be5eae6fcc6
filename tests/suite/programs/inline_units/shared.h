// Inline functions and templates that every unit gets its own copy of; the linker keeps one.
#pragma once
#include <cstddef>
#include <vector>

inline int digits(int n) {
  int count = 0;
  static int calls;
  calls++;
  do {
    count++;
    n /= 10;
  } while (n > 0);
  return count + calls % 2;
}

template <typename T>
__attribute__((noinline)) T clamp_sum(const std::vector<T> &values, T limit) {
  T sum{};
  for (T value : values) {
    sum += value;
    if (sum > limit) sum -= limit;
  }
  return sum;
}

struct Counter {
  virtual ~Counter() = default;
  virtual int next() { return ++value; }
  int value = 0;
};
struct Doubler : Counter {
  int next() override { return value = value * 2 + 1; }
};

int from_left(int n);
int from_right(int n);
Counter *make_counter(bool doubling);

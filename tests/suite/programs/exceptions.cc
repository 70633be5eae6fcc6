// Exceptions: thrown at depth, caught, rethrown, through cleanups, from constructors.
#include <cstdio>
#include <stdexcept>
#include <string>

static int live;
struct Guard {
  explicit Guard(int n) : n(n) {
    if (n == 13) throw std::out_of_range("thirteen");
    live++;
  }
  ~Guard() { live--; }
  int n;
};
struct Pair {
  explicit Pair(int n) : a(n), b(n + 1) {}
  Guard a, b;
};

__attribute__((noinline)) static int dig(int depth, int limit) {
  Guard guard(depth);
  if (depth == limit) throw depth;
  return dig(depth + 1, limit) + guard.n;
}
__attribute__((noinline)) static int clean(int limit) {
  Guard guard(1);
  std::string text(40, 'x');
  int got = dig(2, limit) + static_cast<int>(text.size());
  return got;
}
__attribute__((noinline)) static int again(int limit) {
  try {
    return clean(limit);
  } catch (int value) {
    if (value % 2) throw;
    return value * 10;
  }
}
__attribute__((noinline)) static int handle(int limit) {
  try {
    return again(limit);
  } catch (int value) {
    return -value;
  } catch (const std::exception &error) {
    return static_cast<int>(error.what()[0]);
  } catch (...) {
    return 0;
  }
}
__attribute__((noinline)) static int nested(int n) {
  try {
    try {
      if (n % 3 == 0) throw std::runtime_error("inner");
      if (n % 3 == 1) throw std::string("text");
      return n;
    } catch (const std::runtime_error &) {
      try {
        throw n;
      } catch (int value) {
        throw std::string(static_cast<std::size_t>(value), 'y');
      }
    }
  } catch (const std::string &text) {
    return 1000 + static_cast<int>(text.size());
  }
}
__attribute__((noinline)) static int quiet(int n) noexcept { return n * 2; }

int main() {
  int sum = 0;
  for (int limit = 2; limit < 18; limit++) sum = sum * 3 + handle(limit);
  std::printf("%d live %d\n", sum, live);
  for (int i = 0; i < 9; i++) std::printf("%d ", nested(i) + quiet(i));
  int failed = 0;
  for (int i = 10; i < 15; i++) {
    try {
      Pair pair(i);
    } catch (const std::out_of_range &) {
      failed++;
    }
  }
  std::printf("%d live %d\n", failed, live);
}

//
// Exceptions that were caught, then one that meets a function which lets none out: the
// process aborts in the middle of an unwinding.
#include <csignal>
#include <cstdio>

static int closed;
struct Closer {
  ~Closer() { closed++; }
};
__attribute__((noinline)) static int thrower(int n) {
  Closer closer;
  if (n == 0) throw 42;
  return thrower(n - 1) + closed;
}
__attribute__((noinline)) static int wall(int n) noexcept {
  Closer closer;
  return thrower(n) + 1;
}
__attribute__((noinline)) static int outer(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    try {
      sum += thrower(i);
    } catch (int value) {
      sum += value;
    }
  }
  return sum + wall(n);
}

int main() {
  std::fclose(stderr);  // what the library says, and what it says of a core, differ
  std::printf("%d\n", outer(5));
}

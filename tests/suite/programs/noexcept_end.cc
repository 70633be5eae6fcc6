// suite-except: unwind-free   (exceptions need what it leaves out)
// An exception meets a function that lets none out: the process is terminated from
// there, and what is above and below has counted up to its last instruction.
#include <cstdio>
#include <cstdlib>
#include <exception>

static int closed;
struct Closer {
  ~Closer() { closed++; }
};
__attribute__((noinline)) static int thrower(int n) {
  Closer closer;
  if (n == 0) throw 42;
  return thrower(n - 1) + 1;
}
__attribute__((noinline)) static int wall(int n) noexcept {
  Closer closer;
  return thrower(n) + 1;
}
__attribute__((noinline)) static int outer(int n) {
  Closer closer;
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
static void last_words() {
  // How much was unwound before is the library's choice.
  std::printf("terminated\n");
  std::fflush(stdout);
  std::_Exit(3);
}

int main() {
  std::set_terminate(last_words);
  std::printf("%d\n", outer(5));
}

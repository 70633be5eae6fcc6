// A million exceptions or longjmps, each out of three frames: leaps throw|longjmp COUNT.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static jmp_buf back;
static volatile bool throws;

__attribute__((noinline)) static void leave(unsigned i) {
  if (throws) throw i;
  longjmp(back, 1);
}
__attribute__((noinline)) static void middle(unsigned i) {
  leave(i);
  __asm__ volatile("");
}
__attribute__((noinline)) static void begin(unsigned i) {
  middle(i);
  __asm__ volatile("");
}
__attribute__((noinline)) static unsigned caught(unsigned i) {
  try {
    begin(i);
  } catch (unsigned value) {
    return value;
  }
  return 0;
}
__attribute__((noinline)) static unsigned landed(unsigned i) {
  if (setjmp(back) == 0) begin(i);
  return i;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  throws = std::strcmp(argv[1], "throw") == 0;
  volatile unsigned sum = 0, n = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  for (volatile unsigned i = 0; i < n; i = i + 1) sum = sum + (throws ? caught(i) : landed(i));
  std::printf("%u\n", sum);
}

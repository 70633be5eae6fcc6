#!/bin/sh
# Modelled caches: each thread has its own, misses are known beforehand, exceptions and longjmps lose none,
# and what cannot be modelled is refused or left alone with the reason.
. "$(dirname "$0")/../common.inc"

cat > scan.cc <<'END'
#include <csetjmp>
#include <stdexcept>
#include <thread>
#include <vector>
alignas(4096) static char data[8][1 << 16];
static std::jmp_buf back;
__attribute__((noinline)) static void scan(volatile char *p, int lines) {
  for (int i = 0; i < lines; ++i) {
    p[64 * i] = 1;  // stores
  }
}
__attribute__((noinline)) static void leave(int how) {
  scan(data[how], 100);
  if (how == 5) throw std::runtime_error("out");
  if (how == 6) std::longjmp(back, 1);
}
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([t] { scan(data[t], 1024); scan(data[t] + 49152, 256); });
  for (std::thread &t : threads) t.join();
  try {
    leave(5);
  } catch (const std::exception &) {
  }
  if (setjmp(back) == 0) leave(6);
}
END
misses() { # at the line of the stores
  "$CHORD" report --by=line --json | python3 -c "
import json, sys
print([r['metrics']['$1'] for r in json.load(sys.stdin)['rows'] if r['line'] == 9 and r['file'].endswith('scan.cc')][0])"
}
# A thread's first scan misses every line, its second none: the last quarter of the first is still there. 4 * 1024 + 2 * 100.
for options in "" "--paths" "--context"; do
  rm -f ./*.chord
  "$CHORD" $options --metrics=sim:l1d,sim:l2 g++ -O2 -g -pthread scan.cc -o scan
  ./scan
  expect_equal "misses $options" 4296 "$(misses sim:l1d)"
  expect_equal "second level $options" 4296 "$(misses sim:l2)"
done
# One line for all: every line misses always but in the second level.
rm -f ./*.chord
"$CHORD" --metrics=sim:l1d=64,1,64,sim:l2=1048576,16,64 g++ -O0 -g -pthread scan.cc -o scan
./scan
expect_equal "second level alone" 4296 "$(misses sim:l2)"
[ "$(misses sim:l1d)" -gt 5300 ] || fail "one line misses more: $(misses sim:l1d)"

# The core's name is its geometry, and what is no cache is refused.
# A core by its name is what its sizes are; both the help and the message for wrong ones list those that there are.
"$CHORD" help metrics > help
expect_contains "cores" "cortex-a72      32768,2,64      1048576,16,64     49152,3,64" help
models() {
  "$CHORD" --metrics="$1" g++ -c scan.cc -o scan.o
  objdump -s -j .rodata.__chord_models scan.o | sed 1,3d
}
models sim:l1d=cortex-a72,sim:l2=cortex-a72,sim:l1i=cortex-a72 > models.1
models sim:l1d=32768,2,64,sim:l2=1048576,16,64,sim:l1i=49152,3,64 > models.2
[ -s models.1 ] || fail "no models"
cmp models.1 models.2 || fail "a core is not what its sizes are"
for bad in sim:l1d=1000,3,64 sim:l1d=vax sim:l2 sim:l9; do
  expect_status 2 "$CHORD" --metrics=$bad g++ -c scan.cc -o scan.o
done
expect_status 2 "$CHORD" --metrics=sim:l1d=vax g++ -c scan.cc -o scan.o
expect_contains "which there are" "skylake, skylake-server, icelake, golden-cove, zen, zen2, zen3, zen4, zen5, apple-m1, cortex-a53" err
expect_status 2 "$CHORD" --metrics=sim:l1d --counters=atomic g++ -c scan.cc -o scan.o

cat > gather.c <<'END'
int gather(int *p) {
  int out;
  __asm__ volatile("repne scasb" : "=a"(out), "+D"(p) : "c"(4) : "memory", "cc");
  return out;
}
int main(void) { int four[4] = {0}; gather(four); return 0; }
END
rm -f ./*.chord
"$CHORD" --metrics=sim:l1d gcc gather.c -o gather
./gather
"$CHORD" doctor gather > out 2>&1 || true
"$CHORD" report gather.chord >> out 2>&1 || true
expect_contains "left alone" "a repeated comparison of strings" out

#!/bin/sh
# Calls name what they call, and who finds its own name there says only that it was expected. Whoever is called instead, or later, from code that is not woven, by a
# pointer, past a linker's wrapper, by a jump or by another name, or has a namesake in another file, is the one that replay says: each function prints its name, in the order of the trace.
. "$(dirname "$0")/../common.inc"
cat >calls.h <<'END'
#include <stdio.h>
int target(int), other(int), again(int), wrapped(int), through(int), hop(int), both(int), second_name(int), weak(int), other_twin(int), may_jump(int);
#define SAY puts(__func__)
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif
END
cat >main.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include "calls.h"
static int (*volatile pointer)(int) = target;
static int compare(const void *a, const void *b) { SAY; return target(*(const int *)a) - other(*(const int *)b); }
// Those that only this file can name: one that calls itself, one that the other file has a namesake of, called by its name, by a jump, and by a pointer.
KEPT static int twin(int n) { SAY; return n > 1 ? twin(n - 1) + target(n) : n; }
KEPT static int jumps(int n) { SAY; return twin(n); }
KEPT int may_jump(int n) { SAY; if (n > 2) return other_twin(n); return n; }
static int (*volatile own)(int) = twin;
void handler(int signal) { SAY; target(signal); }
__attribute__((noinline)) int last(int n) { SAY; return target(n); }
int main(void) {
  int numbers[] = {3, 1, 2};
  SAY;
  target(1); pointer(2); other(3); pointer(4);
  through(5); pointer(6); hop(7); both(8);
  wrapped(9); target(10); wrapped(11); pointer(12);
  again(3); second_name(13); pointer = again; pointer(1);
  weak(14); last(15);
  twin(3); own(2); jumps(2); other_twin(3); may_jump(3); may_jump(1); own(1); pointer(1); twin(1);
  qsort(numbers, 3, sizeof *numbers, compare);
  signal(SIGUSR1, handler);
  target(16); raise(SIGUSR1); pointer(1);
  return 0;
}
END
cat >others.c <<'END'
#include "calls.h"
__attribute__((weak)) int weak(int n) { SAY; return n; }
int target(int n) { SAY; return n; }
int other(int n) { SAY; return n > 1 ? n : target(n); }
KEPT static int twin(int n) { SAY; return n > 1 ? twin(n - 1) + target(n) : n; }
int other_twin(int n) { SAY; return twin(n); }
int again(int n) { SAY; volatile int below = n > 0 ? again(n - 1) : other(n); return below; }
int wrapped(int n) { SAY; return n; }
extern int second_name(int) __attribute__((alias("other")));
END
cat >plain.c <<'END'
#include "calls.h"
int __real_wrapped(int);
int through(int n) { return target(n) + 1; }
int hop(int n) { return target(n); }
int both(int n) { return other(n) + target(n) + again(1) + __real_wrapped(n); }
int __wrap_wrapped(int n) { return n == 9 ? other(n) + __real_wrapped(n) : target(n); }
END
for build in "gcc -O2 -fno-inline" "gcc -O0 -no-pie" "clang -O2 -fno-inline" "gcc -O2 -fno-inline -fPIC"; do
  command -v "${build%% *}" >/dev/null || continue
  for encoding in bits witness paths; do
    rm -f ./*.o ./*.chordtrace
    "$CHORD" --verify --trace=$encoding $build -c main.c others.c
    gcc -O2 -c plain.c
    "$CHORD" --verify --trace=$encoding $build main.o others.o plain.o -Wl,--wrap=wrapped -o prog
    ./prog >said
    "$CHORD" trace --by=call --csv | tail -n +2 | cut -d, -f3 >calls
    diff said calls >differences || fail "$build, $encoding: $(cat differences)"
  done
done

#!/bin/sh
# `chord dump PID` of a recording: all that its threads have done replays, and the program goes on recording as if nothing had been. Copies of rings
# (dumped from outside, saved by the program) are parts of the whole run.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'SOURCE'
#include <chord/chord.h>
#include <pthread.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned ticks;
static volatile int ticking;
__attribute__((noinline)) static void tock(int signal) { ticks += signal % 3 ? 1 : 2; }
static void tick(int signal) {
  if (ticks % 2) tock(signal);
  ticks++;
}
__attribute__((noinline)) static unsigned leaf(unsigned seed) { return seed % 3 ? seed * 2654435761u + 1 : seed / 3 + 7; }
__attribute__((noinline)) static unsigned walk(unsigned seed, int depth) {
  seed = leaf(seed * 1103515245u + 12345u);
  for (unsigned child = 0; depth > 0 && child < (seed >> 16) % 4; ++child) {
    seed ^= walk(seed + child, depth - 1);
    switch (seed % 7) {
      case 0: seed += 3; break;
      case 1: seed ^= 0x55; break;
      case 2: seed = leaf(seed); break;
      case 3: seed -= child; break;
      case 4: seed += 11; break;
      case 5: seed *= 3; break;
    }
  }
  return seed;
}
static void *run(void *rounds) {
  unsigned seed = 42;
  for (long i = 0; i < (long)rounds; ++i) {
    seed += walk(seed + (unsigned)i, 12);
    struct timespec rest = {0, 2000000};
    if (i % 8 == 0)
      while (nanosleep(&rest, &rest) & ticking) continue;  // the same instructions whether a dump interrupts it or not
    if (i == (long)rounds / 2 && chord_trace_save("half") != 0) abort();
  }
  return (void *)(unsigned long)seed;
}
int main(int argc, char **argv) {
  long rounds = atol(argv[1]);
  if (getenv("TICKS") != NULL) {
    struct itimerval often = {{0, 300}, {0, 300}};
    ticking = -1;
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, NULL);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, run, (void *)rounds);
  run((void *)rounds);
  pthread_join(thread, NULL);
  puts("done");
  return argc - 2;
}
SOURCE
cat >check.py <<'PYTHON'
"""check.py CHORD ROUNDS: runs prog, dumped all the time."""
import csv, os, shutil, subprocess, sys
chord, rounds = sys.argv[1:3]
def calls(trace):
    out = {}
    done = subprocess.run([chord, "trace", trace, "--csv"], capture_output=True, text=True)
    assert done.returncode == 0, (trace, done.stderr)
    for r in csv.DictReader(done.stdout.splitlines()):
        if r["function"] in ("walk", "leaf"):
            # Handlers execute instructions, too.
            out.setdefault(min(int(r["thread"]), 2), []).append((r["function"], int(r["depth"]), 0 if "TICKS" in os.environ else int(r["number"])))
    return out
def shape(rows):
    return "".join(chr(0x4000 + 256 * len(name) + depth) for name, depth, _ in rows)
def is_part(whole, part, what):
    assert part, what
    at = shape(whole).find(shape(part))
    assert at >= 0, (what, len(part))
    assert len({full[2] - own[2] for full, own in zip(whole[at:], part)}) == 1, what
    return at
def dumped_run(settings):
    """Copies of what was dumped, with their names."""
    program = subprocess.Popen(["./prog", rounds], env={**os.environ, **settings}, stdout=subprocess.DEVNULL)
    dumps = []
    while program.poll() is None:
        asked = subprocess.run([chord, "dump", str(program.pid)], capture_output=True, text=True)
        name = asked.stdout.strip()
        if asked.returncode == 0 and name.endswith(".chordtrace"):  # else it has not begun, or has ended
            dumps.append((name, f"copy{len(dumps)}.chordtrace"))
            shutil.copyfile(*dumps[-1])
    assert program.returncode == 0, program.returncode
    return dumps
subprocess.run(["./prog", rounds], check=True, stdout=subprocess.DEVNULL)
whole = calls("prog.chordtrace")
assert len(whole) == 2
# All is kept: each dump is the beginning of both threads, and at the end nothing shows.
dumps = dumped_run({})
seen = len(dumps)
assert seen > 3, seen
for name, copy in (dumps[0], dumps[len(dumps) // 2], dumps[-1]):
    assert name.endswith("/prog.chordtrace"), name
    for thread, part in calls(copy).items():
        assert part == whole[thread][:len(part)], (copy, thread)
assert sorted(map(shape, calls("prog.chordtrace").values())) == sorted(map(shape, whole.values()))
assert sorted(calls("prog.chordtrace").values(), key=len) == sorted(whole.values(), key=len)
# A ring: copies are parts of the run.
dumps = dumped_run({"CHORD_RING": "64K"})
ring = len(dumps)
assert ring > 3, ring
parts = 0
for name, copy in (dumps[0], dumps[len(dumps) // 2], dumps[-1]):
    assert name.endswith("prog.dumped.chordtrace"), name
    for thread, part in calls(copy).items():
        parts += is_part(whole[thread], part, (copy, thread)) > 0
assert parts > 0, "the ring was never full"
for n in (1, 2):
    saved = calls(f"prog.saved.{n}.chordtrace")
    marks = subprocess.run([chord, "trace", "marks", f"prog.saved.{n}.chordtrace"], check=True, capture_output=True, text=True).stdout
    assert "half" in marks, marks
    for thread, part in saved.items():
        is_part(whole[thread], part, ("saved", n, thread))
assert not os.path.exists("prog.saved.3.chordtrace")
print(f"{len(whole[1])} calls; dumped {seen} times, {ring} times in a ring")
PYTHON
"$CHORD" --trace gcc -O2 -I"$root/runtime/include" prog.c -o prog -pthread
python3 check.py "$CHORD" 1200 || fail "gcc -O2"
# Dumps and other signals come one on top of the other, at the first and last steps of handlers.
TICKS=1 python3 check.py "$CHORD" 1200 || fail "gcc -O2, with signals"
"$CHORD" --trace clang -O1 -fPIC -pie -I"$root/runtime/include" prog.c -o prog -pthread
python3 check.py "$CHORD" 1200 || fail "clang -O1"

#!/bin/sh
# A storm of signals whose handler is traced, too, changes nothing in the trace of what it interrupts, wherever it strikes: without the handler's own rows the
# listing is that of a run without signals.
. "$(dirname "$0")/../common.inc"
cat >storm.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile unsigned ticks, total;
__attribute__((noinline)) static unsigned tock(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n % 5; i++) s += i & 1 ? i : 3; return s; }
static void on_tick(int number) { (void)number; ticks++; total += tock(ticks); }
__attribute__((noinline)) static unsigned leaf(unsigned n) { return n % 3 ? n * 5 : n ^ 77; }
__attribute__((noinline)) static unsigned work(unsigned n) {
  unsigned s = n;
  for (unsigned i = 0; i < n; i++) {
    switch ((s >> 3) % 6) { case 0: s += 3; break; case 1: s ^= i; break; case 2: s *= 5; break; case 3: s -= leaf(i); break; case 4: s += leaf(s); break; default: s = s << 1 | 1; }
    if (s & 16) s += i;
  }
  return s;
}
int main(int argc, char **argv) {
  if (argc > 1) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 30}, {0, 30}};
    setitimer(ITIMER_REAL, &often, NULL);
  }
  unsigned s = 0;
  for (unsigned i = 0; i < 700; i++) s += work(i % 40);
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%u %u\n", s, argc > 1 ? ticks : 0);
  return 0;
}
END
cat >check.py <<'END'
import csv, os, subprocess, sys
def steps(trace, without):
    result = subprocess.run([os.environ["CHORD"], "trace", trace, "--by=instruction", "--csv"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [(row["function"], row["offset"]) for row in csv.DictReader(result.stdout.splitlines()) if row["function"] not in without]
calm, storm = steps("calm.chordtrace", ["main"]), steps("storm.chordtrace", ["main", "on_tick", "tock"])
different = next((i for i, (a, b) in enumerate(zip(calm, storm)) if a != b), min(len(calm), len(storm)))
assert calm == storm, (different, calm[different - 3:different + 3], storm[different - 3:different + 3])
assert len(calm) > 5000, len(calm)
END
storm() {
  "$CHORD" --trace $build -g storm.c -o storm
  CHORD_OUT=calm.chord ./storm >calm
  CHORD_OUT=storm.chord ./storm x >stormy
  expect_equal "$build: result" "$(cut -d' ' -f1 calm)" "$(cut -d' ' -f1 stormy)"
  python3 check.py || fail "$build: after $(cut -d' ' -f2 stormy) signals"
}
each_build storm

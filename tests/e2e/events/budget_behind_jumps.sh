#!/bin/sh
# Stopped at any probe, behind indirect jumps, too, a program has block counts that agree with
# the count of events it was stopped at, whichever counters the block counts come from.
. "$(dirname "$0")/../common.inc"
cat >jumps.c <<'SOURCE'
#include <stdio.h>
__attribute__((noinline)) int step(int op, int x) {
  switch (op) {
    case 0: return x + 1;
    case 1: x ^= 5; /* falls through */
    case 2: x *= 3; break;
    case 3: while (x > 10) x -= 7; break;
    case 4: x = -x; /* falls through */
    case 5: return x / 3;
    case 6: x |= 1; break;
    case 7: if (x & 1) x++; break;
    default: x--;
  }
  return x;
}
__attribute__((noinline)) int interpret(const unsigned char *p, int x) {
  static const void *const table[] = {&&more, &&twice, &&less, &&mixed, &&done};
  goto *table[*p++];
more: x++; goto *table[*p++];
twice: x *= 2; if (x > 1000) goto done; goto *table[*p++];
less: x -= 3; goto *table[*p++];
mixed: for (int i = 0; i < (x & 3); i++) x ^= i; goto *table[*p++];
done: return x;
}
int main(void) {
  static const unsigned char code[] = {0, 1, 2, 3, 1, 4};
  int x = 1;
  for (int i = 0; i < 10; i++) x = interpret(code, step(i, x) & 15);
  printf("%d\n", x);
  return 0;
}
SOURCE
cat >stop_everywhere.py <<'PYTHON'
import json, os, re, subprocess, sys
chord, build = os.environ["CHORD"], sys.argv[1:]
subprocess.run([chord, *build, "jumps.c", "-o", "jumps"], check=True)
budget = stops = 0
while True:
    if os.path.exists("jumps.chord"):
        os.unlink("jumps.chord")
    run = subprocess.run(["./jumps"], env={**os.environ, "CHORD_BUDGET": f"instructions:{budget + 1}"}, capture_output=True, text=True)
    told = re.search(r"stopped after (\d+) instructions", run.stderr)
    if told is None:
        break
    budget, stops = int(told[1]), stops + 1
    report = subprocess.run([chord, "report", "--json"], capture_output=True, text=True)
    if report.stderr or json.loads(report.stdout)["instructions"] != budget:
        sys.exit(f"{build}: stopped at {budget}: {report.stderr or json.loads(report.stdout)['instructions']}")
if run.returncode != 0 or stops < 50:
    sys.exit(f"{build}: {stops} stops, then status {run.returncode}")
PYTHON
for place in optimal redundant vertex vertex-edge; do
  python3 stop_everywhere.py --place=$place --budget gcc -O2 || fail "$place"
done
python3 stop_everywhere.py --place=optimal --budget clang -O2 || fail "clang"

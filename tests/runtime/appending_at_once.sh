#!/bin/sh
# Many processes append to one profile at the same time: every segment is intact.
# With --long 1000 at once, each living for 100 ms; else 300.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
"$CHORD" gcc -O1 sample.c -o sample
cat >start.py <<'PYTHON'
import subprocess, sys
rounds, at_once, nap = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
bad = 0
for _ in range(rounds):
    # The processes wait for the end of their input: all end together.
    some = [subprocess.Popen(["./nap", nap], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for _ in range(at_once)]
    for process in some: process.stdin.close()
    bad += sum(process.wait() != 0 for process in some)
sys.exit(bad != 0)
PYTHON
# The sample, which begins when its input ends and then takes its time.
sed 's/^int main(/int sample(/' sample.c >nap.c
cat >>nap.c <<'SOURCE'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  usleep((useconds_t)atoi(argv[argc - 1]) * 1000);
  return sample(1, argv);
}
SOURCE
"$CHORD" gcc -O1 nap.c -o nap
if [ "${1:-}" = --long ]; then rounds=1 at_once=1000; else rounds=5 at_once=60; fi
ulimit -n 4096 2>/dev/null || true
CHORD_OUT="$work/all.chord" expect_status 0 python3 start.py $rounds $at_once 100
"$CHORD" report all.chord --by=function --json >report 2>err
expect_equal "warnings" "" "$(cat err)"
expect_equal "calls of work" $((3 * rounds * at_once)) "$(field report work calls)"
expect_equal "calls of main" $((rounds * at_once)) "$(field report main calls)"

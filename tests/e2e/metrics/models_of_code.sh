#!/bin/sh
# Modelled instruction caches and branch predictors: mispredictions known beforehand, each thread its own predictor, what
# the plain program's layout is for, and what is refused.
. "$(dirname "$0")/../common.inc"

cat > turns.c <<'END_OF_C'
#include <pthread.h>
static volatile int sink;
__attribute__((noinline, aligned(64))) static void turns(int n) {
  for (int i = 0; i < n; ++i)
    if (i % 2)
      sink = i;
}
__attribute__((aligned(64))) static void *run(void *arg) {
  turns(1000);
  return arg;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], 0, run, 0);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
}
END_OF_C
missed() { # at a line
  "$CHORD" report --by=line --json | python3 -c "
import json, sys
print(sum(r['metrics'].get('$1', 0) for r in json.load(sys.stdin)['rows'] if r['line'] in ($2,)))"
}
# Not optimised, so that both branches are there. Bimodal: a branch that alternates is predicted wrong half of the time once its counter
# has reached the middle. It starts at "never": N N N …, so each of the 500 other outcomes is missed, and nothing else.
gcc -O0 turns.c -o plain -pthread
for options in "" "--context" "--paths"; do
  rm -f ./*.chord
  "$CHORD" $options --metrics=sim:branch=bimodal,10,sim:l1i --layout=plain gcc -O0 -g turns.c -o turns -pthread
  ./turns
  expect_equal "alternating, bimodal $options" 1500 "$(missed sim:branch 5)"
done
# With a history of two branches everything is learnt: once for each pattern.
rm -f ./*.chord
"$CHORD" --metrics=sim:branch=gshare,14,4 --layout=plain gcc -O0 -g turns.c -o turns -pthread
./turns
[ "$(missed sim:branch 5)" -le 30 ] || fail "a history learns turns: $(missed sim:branch 5)"
# Code that fits is missed once for each thread and line.
rm -f ./*.chord
"$CHORD" --metrics=sim:l1i=32768,8,64 --layout=plain gcc -O0 -g turns.c -o turns -pthread
./turns
first=$(nm plain | awk '/ turns$/ { print $1 }') size=$(nm -S plain | awk '/ turns$/ { print $2 }')
lines=$(python3 -c "a, n = 0x$first, 0x$size; print(3 * ((a + n - 1) // 64 - a // 64 + 1))")
expect_equal "lines of turns" "$lines" "$("$CHORD" report --json | python3 -c "
import json, sys
print([r['metrics']['sim:l1i'] for r in json.load(sys.stdin)['rows'] if r['function'] == 'turns'][0])")"

# Without a plain program addresses are made up: the same in every build.
for again in 1 2; do
  rm -f ./*.chord
  "$CHORD" --metrics=sim:l1i=256,1,16,sim:branch=gselect,8,4 gcc -O2 -g turns.c -o turns -pthread
  ./turns
  "$CHORD" report --by=instruction --csv > "made_up.$again"
done
cmp made_up.1 made_up.2 || fail "made-up addresses differ"

# A function that the plain program has otherwise is named.
gcc -O1 turns.c -o other -pthread
"$CHORD" --metrics=sim:l1i --layout=other gcc -O0 -c turns.c -o turns.o 2> err
expect_contains "other layout" "not found in $work/other with the same size" err
strip -o bare plain
expect_status 1 "$CHORD" --metrics=sim:l1i --layout=bare gcc -c turns.c -o turns.o
expect_contains "stripped" "has no symbols" err
expect_status 1 "$CHORD" --metrics=sim:l1i --layout=turns.c gcc -c turns.c -o turns.o
expect_contains "no program" "no ELF file" err
expect_status 1 "$CHORD" --metrics=sim:l1i --layout=absent gcc -c turns.c -o turns.o

for good in bimodal gshare gselect bimodal,1 gshare,16,16 gselect,8 cachegrind r10000 ultrasparc-iii; do
  "$CHORD" --metrics=sim:branch=$good gcc -c turns.c -o turns.o
done
for bad in branch=perfect branch=bimodal,17 branch=bimodal,0 branch=gshare,8,9 branch=gshare,8,0 branch=bimodal,8,2 branch=gshare,8,2,1 branch=gshare, l1i=100,1,16 l1i=vax; do
  expect_status 2 "$CHORD" --metrics=sim:$bad gcc -c turns.c -o turns.o
done
"$CHORD" --metrics=sim:l1i=zen2 gcc -c turns.c -o turns.o

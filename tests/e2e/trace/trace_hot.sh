#!/bin/sh
# What a run did over and over, across loops and calls: exact counts, in every thread.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'C'
#include <pthread.h>
volatile int odd, even;
__attribute__((noinline)) void count(int n) {
  if (n & 1)
    odd = odd + 1;
  else
    even = even + 1;
}
void *work(void *p) {
  for (int i = 0; i < 1000; ++i) count(i);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  work(0);
  return 0;
}
C
"$CHORD" --trace gcc -O1 -g -pthread prog.c -o prog
./prog
"$CHORD" trace hot --json >hot.json
# Each thread runs the loop 1000 times: 500 rounds of two calls, the first and last of which are entered and left otherwise.
python3 - <<'P' || fail "$(cat hot.json)"
import json
hot = json.load(open("hot.json"))
trace = {row["path"]: row for row in hot["rows"]}
best = hot["rows"][0]
assert best["path"].count("count") == 2, best
assert best["count"] == 2 * 499, best
assert best["executed"] == best["count"] * best["instructions"], best
assert 0.9 < best["share"] <= 1, best
assert best["executed"] <= hot["instructions"]
P
"$CHORD" trace hot >text
expect_contains "the listing" " 998 " text
expect_status 2 "$CHORD" trace hot --longest=1

#!/bin/sh
# <chord/chord.h> in C99 and C++11, in programs built without chord: no library, no effect.
. "$(dirname "$0")/../e2e/common.inc"
cat >use.c <<'SOURCE'
#include <chord/chord.h>
int main(void) {
  chord_pause();
  chord_resume();
  chord_reset();
  if (chord_events(CHORD_INSTRUCTIONS) != 0 || chord_events_process(CHORD_COST) != 0) return 2;
  if (chord_budget(CHORD_CALLS, 1, 0) != -1 || chord_budget_extend(CHORD_CALLS, 1) != -1) return 3;
  if (chord_budget_left(CHORD_CALLS) != CHORD_UNLIMITED) return 4;
  return chord_is_counting() || chord_mark("x") != 0 || chord_dump() != 0;
}
SOURCE
cp use.c use.cc
for command in "gcc -std=c99 use.c" "clang -std=c99 use.c" "g++ -std=c++11 use.cc" "clang++ -std=c++11 use.cc"; do
  $command -Wall -Wextra -Werror -pedantic -I"$root/runtime/include" -o use
  expect_status 0 ./use
done

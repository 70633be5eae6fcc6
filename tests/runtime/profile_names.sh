#!/bin/sh
# What the profile is called: after the program, or as CHORD_OUT says; however the program moves about.
. "$(dirname "$0")/../e2e/common.inc"
cat >move.c <<'SOURCE'
#include <stdio.h>
#include <unistd.h>
int main(void) {
  printf("%d\n", (int)getpid());
  return chdir("/");
}
SOURCE
"$CHORD" gcc move.c -o move
./move >out
[ -f move.chord ] || fail "not beside the program"
pid=$(CHORD_OUT='%e-%p-%h-%%.x' ./move)
[ -f "move-$pid-$(uname -n)-%.x" ] || fail "no move-$pid-...: $(ls)"
# %t stays what it was, however often the program writes.
cat >twice.c <<'SOURCE'
#include <chord/chord.h>
#include <time.h>
int main(void) {
  struct timespec pause = {1, 100000000};
  if (chord_dump() != 0) return 1;
  nanosleep(&pause, 0);
  return chord_dump();
}
SOURCE
"$CHORD" gcc "-I$root/runtime/include" twice.c -o twice
CHORD_OUT='twice-%t.chord' ./twice
expect_equal "profiles of one process" 1 "$(ls twice-*.chord | wc -l)"
mkdir away
(cd away && rmdir ../away && CHORD_OUT=x.chord ../move >"$work/out" 2>"$work/err") || fail "a deleted folder"
expect_contains "deleted folder" "chord: warning:" err

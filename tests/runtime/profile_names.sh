#!/bin/sh
# Where the profile goes: the folder the program was started in, or CHORD_OUT.
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
[ -f move.chord ] || fail "not in the folder it was started in"
pid=$(CHORD_OUT='%e-%p-%h-%%.x' ./move)
[ -f "move-$pid-$(uname -n)-%.x" ] || fail "no move-$pid-...: $(ls)"
mkdir away
(cd away && rmdir ../away && CHORD_OUT=x.chord ../move >"$work/out" 2>"$work/err") || fail "a deleted folder"
expect_contains "deleted folder" "chord: warning:" err

#!/bin/sh
# `chord dump` finds the profile by the runtime's rules, wherever the process has gone,
# and says why where it cannot ask.
. "$(dirname "$0")/../common.inc"
cat >wait.c <<'SOURCE'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc > 1 && chdir(argv[1])) return 1;
  puts("ready");
  fflush(stdout);
  char byte;
  return read(0, &byte, 1) != 0;
}
SOURCE
mkdir elsewhere
mkfifo input
"$CHORD" gcc -O1 wait.c -o wait
gcc -O1 wait.c -o plain

# begin COMMAND…: it runs until `finish`.
begin() {
  rm -f ready
  "$@" <input >ready 2>errors &
  process=$!
  exec 9>input
  until [ -s ready ]; do sleep 0.02; done
}
finish() {
  exec 9>&-
  wait $process || fail "the program ended with status $?"
  rm -f ready
}
# found WHAT FILE
found() {
  expect_status 0 "$CHORD" dump $process
  [ "$(realpath "$(cat out)")" = "$(realpath "$2")" ] || fail "$1: $(cat out), not $2"
  finish
}
begin ./wait
found "its own folder" wait.chord
begin ./wait elsewhere
found "after chdir" wait.chord
CHORD_OUT='elsewhere/%e-%p[1]%%.x' begin ./wait /
found "CHORD_OUT" "elsewhere/wait-$process[1]%.x"
CHORD_OUT="$work/elsewhere/%t.chord" begin ./wait /
expect_status 0 "$CHORD" dump $process
expr "$(cat out)" : "$work/elsewhere/[0-9]*[.]chord" >/dev/null || fail "a time in the name: $(cat out)"
finish

begin ./plain
expect_status 1 "$CHORD" dump $process
expect_contains "a plain program" "process $process: not built with chord" err
expect_contains "a plain program" "chord: hint: " err
expect_status 1 "$CHORD" top $process
expect_contains "top of a plain program" "not built with chord" err
finish
expect_status 1 "$CHORD" dump $process
expect_contains "ended" "process $process: no such process" err
expect_status 2 "$CHORD" dump
expect_status 2 "$CHORD" dump nonsense
expect_contains "not a number" "nonsense: neither a process number" err

begin ./wait
kill -STOP $process
expect_status 1 "$CHORD" dump $process --timeout=0.3
expect_contains "stopped" "is stopped and cannot answer" err
kill -CONT $process
found "continued" wait.chord
begin env CHORD_OUT=/nonexistent/x.chord ./wait
expect_status 1 "$CHORD" dump $process --timeout=0.3
expect_contains "unwritable" "no counts were written to /nonexistent/x.chord" err
finish
# Where this test may become another user: that user may not ask.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  begin ./wait
  chmod 755 "$work"
  cp "$CHORD" chord_copy
  expect_status 1 setpriv --reuid=65534 --regid=65534 --clear-groups ./chord_copy dump $process
  expect_contains "another user" "process $process: Permission denied" err
  finish
fi

#!/bin/sh
# However a process ends, what it has written replays: crash, abort, SIGKILL, a limit of size, a full disk, fork. And what is no trace, or of
# another build, is refused by name.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned x;
__attribute__((noinline)) void step(unsigned i) { if (i % 3) x += i; else x ^= i; }
__attribute__((noinline)) int deep(int n, int *p) {
  if (n == 0) return *p;
  int result = deep(n - 1, p);
  x ^= result;
  return result;
}
int *volatile nowhere;
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  for (unsigned i = 0; i < 100; i++) step(i);
  if (strcmp(how, "fault") == 0) return deep(3, nowhere);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "fork") == 0 && fork() == 0) {
    for (unsigned i = 0; i < 7; i++) step(i);
    _exit(0);
  }
  if (strcmp(how, "forever") == 0) for (unsigned i = 0;; i++) step(i);
  if (strcmp(how, "long") == 0) for (unsigned i = 0; i < 300000; i++) step(i);
  wait(NULL);
  puts("done");
  return 0;
}
END
build() { "$CHORD" --trace $1 -g prog.c -o prog; }
calls() { "$CHORD" trace "$1" --by=call --csv 2>warnings | awk -F, -v name="$2" '$3 == name' | wc -l; }
ends() {
  rm -f ./*.chordtrace
  build "$build"
  got=0; ./prog fault >/dev/null 2>&1 || got=$?
  expect_equal "$build: fault: status" 139 "$got"
  expect_equal "$build: fault: steps" 100 "$(calls prog.chordtrace step)"
  expect_equal "$build: fault: deep" 4 "$(calls prog.chordtrace deep)"
  "$CHORD" trace prog.chordtrace --by=line --csv | tail -n 1 | grep -q ",deep,.*,10,[34]\$" || fail "$build: fault: $("$CHORD" trace prog.chordtrace --by=line --csv | tail -n 2)"
  got=0; ./prog abort >/dev/null 2>&1 || got=$?
  expect_equal "$build: abort: status" 134 "$got"
  expect_equal "$build: abort: last" main "$("$CHORD" trace prog.chordtrace --by=instruction --csv | tail -n 1 | cut -d, -f3 | cut -d. -f1)"
  ./prog fork >/dev/null
  expect_equal "$build: parent" 100 "$(calls prog.chordtrace step)"
  child=$(ls prog.*.chordtrace)
  expect_equal "$build: child" 7 "$(calls "$child" step)"
  "$CHORD" trace "$child" --csv | grep -q ",step,.*,1\$" || fail "$build: the child's stack is lost"
  CHORD_TRACE_LIMIT=100K ./prog long >out 2>err
  expect_contains "$build: limit: output" done out
  expect_contains "$build: limit" "the limit of its size is reached" err
  [ "$(calls prog.chordtrace step)" -gt 5000 ] || fail "$build: limit: too little"
  expect_contains "$build: limit: report" "ended early" warnings
  ./prog forever >/dev/null 2>&1 & process=$!
  while [ ! -s prog.chordtrace ] || [ "$(wc -c <prog.chordtrace)" -lt 500000 ]; do sleep 0.02; done
  kill -KILL "$process"
  wait "$process" 2>/dev/null || :
  "$CHORD" trace prog.chordtrace --csv >out 2>err || fail "$build: killed: $(cat err)"
  [ "$(wc -l <out)" -gt 20000 ] || fail "$build: killed: too little"
}
each_build ends

# A file that is no trace stays as it is; the trace goes elsewhere.
echo precious >prog.chordtrace
./prog >/dev/null
expect_equal "another's file" precious "$(cat prog.chordtrace)"
expect_status 1 "$CHORD" trace prog.chordtrace
expect_contains "no trace" "not a trace" err
rm -f ./*.chordtrace

# Room for a chunk whose thread was killed before it wrote to it: alone, and before one that was used.
./prog >/dev/null
"$CHORD" trace prog.chordtrace --csv >whole
head -c 8192 /dev/zero >unused.chordtrace
expect_status 1 "$CHORD" trace unused.chordtrace
expect_contains "nothing but room" "nothing was recorded" err
cat prog.chordtrace >>unused.chordtrace
"$CHORD" trace unused.chordtrace --csv >out
expect_equal "room before the rest" "$(cat whole)" "$(cat out)"
rm -f ./*.chordtrace

# Another build.
./prog >/dev/null
build "gcc -O1 -DOTHER -fno-inline"
cp prog.c other.c && echo "int other(int n) { return n > 3 ? n : 2; }" >>other.c
"$CHORD" --trace gcc -g other.c -o prog
expect_status 1 "$CHORD" trace prog.chordtrace
expect_contains "another build" "is of another build" err

# Damage: cut off, and words that nobody wrote.
./prog >/dev/null
head -c 20000 prog.chordtrace >cut.chordtrace
"$CHORD" trace cut.chordtrace >out 2>err || :
expect_contains "cut off" "passed over" err
python3 - <<'END'
data = bytearray(open("prog.chordtrace", "rb").read())
data[504 + 16:504 + 24] = (0x3f << 56 | 5).to_bytes(8, "little")
open("bad.chordtrace", "wb").write(data)
END
expect_status 1 "$CHORD" trace bad.chordtrace
expect_contains "a bad word" "chord: error: bad.chordtrace: thread 1, after" err
python3 - <<'END'
data = bytearray(open("prog.chordtrace", "rb").read())
data[8:12] = (99).to_bytes(4, "little")
open("later.chordtrace", "wb").write(data)
END
expect_status 1 "$CHORD" trace later.chordtrace
expect_contains "another version" "it has version 99 of the format" err
expect_equal "said once" 1 "$(grep -c version err)"

# A disk that is full.
mkdir small
[ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || exit 0
at_end() { umount "$work/small" 2>/dev/null || :; }
CHORD_OUT="$work/small/p.chord" ./prog long >out 2>err
expect_contains "full disk: output" done out
expect_contains "full disk" "no room on the disk" err
"$CHORD" trace small/p.chordtrace --by=call >out 2>err || fail "full disk: $(cat err)"
expect_contains "full disk: report" "no room" err

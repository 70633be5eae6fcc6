#!/bin/sh
# Where the profile cannot be written the program runs on as if nothing were, one line
# says so, and what was in the file stays in it.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
"$CHORD" gcc -O1 sample.c -o sample
lost() {
  expect_equal "$1: output" 4995 "$(cat out)"
  expect_equal "$1: lines" 1 "$(wc -l <err)"
  expect_contains "$1" "chord: warning: counts of process" err
  expect_contains "$1" "CHORD_OUT" err
}
CHORD_OUT=/nonexistent/folder/p.chord expect_status 0 ./sample
lost "no folder"
CHORD_OUT=/ expect_status 0 ./sample
lost "a folder"
CHORD_OUT=/dev/full expect_status 0 ./sample
lost "a device"
CHORD_OUT=/dev/full CHORD_QUIET=1 expect_status 0 ./sample
expect_equal "quiet" "" "$(cat err)"

CHORD_OUT=p.chord ./sample >out
size=$(wc -c <p.chord)
cp p.chord before.chord
(ulimit -f 0; CHORD_OUT=new.chord ./sample 2>&1 >/dev/null; echo "status $?") | cat >err
expect_contains "file size limit" "status 0" err
expect_contains "file size limit" "file size limit reached" err
cat >descriptors.c <<'SOURCE'
#include <sys/resource.h>
int main(void) {
  struct rlimit none = {3, 3};
  return setrlimit(RLIMIT_NOFILE, &none);
}
SOURCE
"$CHORD" gcc descriptors.c -o descriptors
CHORD_OUT=p.chord expect_status 0 ./descriptors
expect_contains "no descriptors" "too many open files" err
expect_equal "size afterwards" "$size" "$(wc -c <p.chord)"
cmp before.chord p.chord || fail "the profile changed"

# stderr is another file by now: not ours to write to.
cat >closed.c <<'SOURCE'
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  close(2);
  return open("data", O_CREAT | O_WRONLY, 0666) != 2;
}
SOURCE
"$CHORD" gcc closed.c -o closed
CHORD_OUT=/nonexistent/p.chord expect_status 0 ./closed
expect_equal "the program's own file" 0 "$(wc -c <data)"

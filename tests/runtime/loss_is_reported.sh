#!/bin/sh
# Where the profile cannot be written the program runs on as if nothing were, one line
# says so, and what was in the file stays in it.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
cat >descriptors.c <<'SOURCE'
#include <sys/resource.h>
int main(void) {
  struct rlimit none = {3, 3};
  return setrlimit(RLIMIT_NOFILE, &none);
}
SOURCE
cat >closed.c <<'SOURCE'
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  close(2);
  return open("data", O_CREAT | O_WRONLY, 0666) != 2;
}
SOURCE
# lost WHAT [REASON]
lost() {
  expect_equal "$build, $1: output" 4995 "$(cat out)"
  expect_equal "$build, $1: lines" 1 "$(wc -l <err)"
  expect_contains "$build, $1" "chord: warning: counts of process" err
  expect_contains "$build, $1" "${2:-CHORD_OUT}" err
}
write_nowhere() {
  "$CHORD" $build sample.c -o sample
  CHORD_OUT=/nonexistent/folder/p.chord expect_status 0 ./sample
  lost "no folder"
  CHORD_OUT=/ expect_status 0 ./sample
  lost "a folder"
  CHORD_OUT=/dev/full expect_status 0 ./sample
  lost "a device"
  CHORD_OUT=/dev/full CHORD_QUIET=1 expect_status 0 ./sample
  expect_equal "$build: quiet" "" "$(cat err)"
}

# A folder that may be read alone: for root only as somebody else.
write_read_only() {
  "$CHORD" $build sample.c -o read_only/sample
  chmod a-w read_only
  expect_status 0 env -C read_only $as_other ./sample
  chmod u+w read_only
  lost "a read-only folder" "permission denied"
  [ ! -e read_only/sample.chord ] || fail "$build: a profile in a read-only folder"
}

keep_what_was() {
  "$CHORD" $build sample.c -o sample
  rm -f ./*.chord
  CHORD_OUT=p.chord ./sample >out
  cp p.chord before.chord
  (ulimit -f 0; CHORD_OUT=new.chord ./sample 2>&1 >/dev/null; echo "status $?") | cat >err
  expect_contains "$build: file size limit" "status 0" err
  expect_contains "$build: file size limit" "file size limit reached" err
  "$CHORD" $build descriptors.c -o descriptors
  CHORD_OUT=p.chord expect_status 0 ./descriptors
  expect_contains "$build: no descriptors" "too many open files" err
  cmp before.chord p.chord || fail "$build: the profile changed"
}

# stderr is another file by now: not ours to write to.
say_nothing() {
  "$CHORD" $build closed.c -o closed
  rm -f data
  CHORD_OUT=/nonexistent/p.chord expect_status 0 ./closed
  expect_equal "$build: the program's own file" 0 "$(wc -c <data)"
}
mkdir read_only
chmod a+x .
as_other=
[ "$(id -u)" != 0 ] || as_other="setpriv --reuid=65534 --regid=65534 --clear-groups"
for check in write_nowhere write_read_only keep_what_was say_nothing; do each_build $check; done

#!/bin/sh
# A full disk, met anywhere in a segment: the program runs on, the profile is what it was
# before, byte by byte, and the next run that finds room is appended to it.
. "$(dirname "$0")/../e2e/common.inc"
sample_program

# full WHAT REASON: what a run must look like that could not write.
full() {
  expect_equal "$build, $1: output" 4995 "$(cat out)"
  expect_equal "$build, $1: lines" 1 "$(wc -l <err)"
  expect_contains "$build, $1" "$2" err
  cmp -s before.chord "$CHORD_OUT" || fail "$build, $1: the profile changed"
}

# A limit met in the header's room, in the first records and at the very end.
cat >limited.py <<'PYTHON'
import os, resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv("./sample", ["./sample"])
PYTHON
meet_limits() {
  "$CHORD" $build sample.c -o sample
  rm -f p.chord
  ./sample >out
  cp p.chord before.chord
  size=$(wc -c <p.chord)
  for room in 0 8 24 32 40 56 64 128 $((size - 8)); do
    expect_status 0 python3 limited.py $((size + room))
    full "limit at $room" "file size limit reached"
  done
  ./sample >out
  expect_equal "$build: calls of work" 6 "$(calls p.chord work)"
}
export CHORD_OUT="$work/p.chord"
each_build meet_limits

# A file system without room, where one may be mounted.
mkdir small
[ "$(id -u)" = 0 ] && mount -t tmpfs -o size=32k tmpfs small 2>/dev/null || exit 0
at_end() { umount "$work/small"; }
fill_disk() {
  "$CHORD" $build sample.c -o sample
  rm -f small/*
  ./sample >out
  while head -c 4096 /dev/zero >>small/fill 2>/dev/null; do :; done
  for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    cp small/p.chord before.chord
    expect_status 0 env CHORD_KEEP_RUNS=1 ./sample
    [ -s err ] && break
  done
  full "full disk" "no space left"
  rm small/fill
  ./sample >out
  "$CHORD" report small/p.chord --by=function --json >report 2>err
  expect_equal "$build: warnings" "" "$(cat err)"
  expect_equal "$build: calls of main" $((run + 1)) "$(field report main calls)"
}
export CHORD_OUT="$work/small/p.chord" CHORD_KEEP_MAPS=0
each_build fill_disk

# Runs that fold need room for two: the page that the first run's segment is in.
fold_on_full_disk() {
  "$CHORD" $build sample.c -o sample
  rm -f small/*
  ./sample >out
  while head -c 4096 /dev/zero >>small/fill 2>/dev/null; do :; done
  for run in 1 2 3 4 5 6 7 8; do
    ./sample >out 2>err
    expect_equal "$build, run $run: warnings" "" "$(cat err)"
  done
  expect_equal "$build: calls of main in nine runs" 9 "$(calls small/p.chord main)"
}
each_build fold_on_full_disk

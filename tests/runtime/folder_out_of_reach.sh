#!/bin/sh
# By the time the program ends, the profile's folder is deleted, or outside a new root, or
# the program has closed every file. It never notices; what is lost is reported.
. "$(dirname "$0")/../e2e/common.inc"
cat >leave.c <<'SOURCE'
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc < 3) return 9;
  if (!strcmp(argv[1], "delete")) return rmdir(argv[2]);
  if (!strcmp(argv[1], "root")) return chroot(argv[2]) || chdir("/");
  for (int file = 0; file < 1024; file++) close(file);
  return 0;
}
SOURCE
# lost WHAT
lost() {
  expect_equal "$build, $1: lines" 1 "$(wc -l <err)"
  expect_contains "$build, $1" "chord: warning: counts of process" err
  expect_contains "$build, $1" "no such folder" err
}

go_out_of_reach() {
  "$CHORD" $build leave.c -o leave
  rm -f leave.chord
  mkdir gone
  expect_status 0 env -C gone CHORD_OUT=leave.chord ../leave delete "$work/gone"
  lost "a deleted folder"
  [ ! -e gone ] || fail "$build: the folder is there again"

  expect_status 0 ./leave close files
  expect_equal "$build, closed files: calls of main" 1 "$(calls leave.chord main)"
}

change_root() {
  "$CHORD" $build leave.c -o leave
  rm -rf leave.chord root empty
  mkdir -p empty "root/$work"
  expect_status 0 ./leave root empty
  lost "a new root without the folder"
  # There the same name is a folder of the new root, and that is where it goes.
  expect_status 0 ./leave root root
  expect_equal "$build, a new root: errors" "" "$(cat err)"
  expect_equal "$build, a new root: calls of main" 1 "$(calls "root/$work/leave.chord" main)"
  [ ! -e leave.chord ] || fail "$build: counts outside the new root"
}
each_build go_out_of_reach
[ "$(id -u)" != 0 ] || each_build change_root

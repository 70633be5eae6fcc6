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
"$CHORD" gcc -O1 leave.c -o leave

# lost WHAT
lost() {
  expect_equal "$1: lines" 1 "$(wc -l <err)"
  expect_contains "$1" "chord: warning: counts of process" err
  expect_contains "$1" "no such folder" err
}
mkdir gone
expect_status 0 env -C gone ../leave delete "$work/gone"
lost "a deleted folder"
[ ! -e gone ] || fail "the folder is there again"

expect_status 0 ./leave close files
expect_equal "closed files: calls of main" 1 "$(calls leave.chord main)"

if [ "$(id -u)" = 0 ]; then
  mkdir empty
  expect_status 0 ./leave root empty
  lost "a new root without the folder"
  # There the same name is a folder of the new root, and that is where it goes.
  mkdir -p "root/$work"
  expect_status 0 ./leave root root
  expect_equal "a new root: errors" "" "$(cat err)"
  expect_equal "a new root: calls of main" 1 "$(calls "root/$work/leave.chord" main)"
  expect_equal "calls of main outside" 1 "$(calls leave.chord main)"
fi

#!/bin/sh
# Path counts out of a core file are those that the program writes itself when it dies: whole paths, and
# the partial ones of all that was running, with numbers in registers, callers' registers and frames, below
# signal handlers, in threads, and where a table is looked up by number.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/dying_work.inc"
cat >die.c <<'SOURCE'
#include <string.h>
#include "work.h"
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 50; i++) by_number(i * 37, 0);
  if (!strcmp(what, "handler")) {
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
  }
  if (!strcmp(what, "thread")) {
    start_thread();
    nested(2, 5);
  }
  if (!strcmp(what, "abort")) {
    if (saved(5, 0) > 0) abort();
  }
  return (int)nested(4, 6) & 1;
}
SOURCE
facts() {  # PROFILE NAME
  "$CHORD" paths "$1" --json >"$2.paths" 2>"$2.err"
  "$CHORD" report "$1" --by=instruction --json >"$2.instructions" 2>>"$2.err"
  expect_equal "$build, $what: warnings of $2" "" "$(cat "$2.err")"
}
same_paths() {  # BUILD
  build=$*
  for what in fault handler thread abort; do
    run_core $what
    "$CHORD" dump core --profile=from_core.chord >out
    facts from_core.chord from_core
    rm -f die.chord core* from_core.chord
    ./die $what >out 2>err || true
    facts die.chord by_itself
    for kind in paths instructions; do
      cmp -s from_core.$kind by_itself.$kind || fail "$build, $what: the core's $kind are not those the program writes: $(diff from_core.$kind by_itself.$kind | head -5)"
    done
    python3 -c 'import json; rows = json.load(open("from_core.paths"))["rows"]; print(sum(r["count"] for r in rows if r["end"] == "partial"))' >partial
    case $what in
      fault) expect_equal "$build: partial paths" 10 "$(cat partial)" ;;    # main, nested 5, by_number, in_frame, saved, leaf
      handler) expect_equal "$build: partial paths" 10 "$(cat partial)" ;;  # main, on_signal, nested 4 and the other four
      thread) expect_equal "$build: partial paths" 9 "$(cat partial)" ;;    # wait_in_thread, main, nested 3 and four
      abort) expect_equal "$build: partial paths" 1 "$(cat partial)" ;;     # main
    esac
  done
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    flags="$level -fno-optimize-sibling-calls -fno-inline"
    "$CHORD" --paths $compiler $flags -pthread die.c -o die
    same_paths $compiler $flags
    [ $level = -O0 ] || objdump -d die | grep -q 'nopl *0x70614310(%rax)' || fail "$compiler: no number is in a frame"
  done
done
for kind in -static -static-pie "-O1 -fPIC -pie"; do
  "$CHORD" --paths gcc -O1 -fno-optimize-sibling-calls $kind -pthread die.c -o die
  same_paths gcc $kind
done

#!/bin/sh
# Every linker keeps one copy of the runtime of several woven objects, in every kind
# of program, and whatever else was asked of it.
. "$(dirname "$0")/../e2e/common.inc"
cat >one.c <<'SOURCE'
#include <stdlib.h>
int work(int n);
__attribute__((noinline)) void down(int n) {
  if (n == 0) exit(3);
  down(n - 1);
  work(n);
}
int main(void) {
  for (int i = 0; i < 10; i++) work(i);
  down(4);
  return 0;
}
SOURCE
cat >two.c <<'SOURCE'
#include "counted.h"
int dead(int n) { return n; }
COUNTED int work(int n) {
  TOUCH();
  return n + 1;
}
SOURCE
sed '/^COUNTED static/,/^}/d; /unused/d' "$here/programs/counted.h" >counted.h
# counts WHAT [MAPS]: runs ./program; MAPS is an executable that still has its map.
counts() {
  rm -f p.chord
  CHORD_OUT=p.chord expect_status 3 ./program
  "$CHORD" report p.chord --program="${2:-./program}" --by=function --json >report 2>err
  expect_equal "$1: warnings" "" "$(cat err)"
  expect_equal "$1: work" 10 "$(field report work calls)"
  expect_equal "$1: down" 5 "$(field report down calls)"
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    what="$compiler $level"
    flags="$level -fno-optimize-sibling-calls -ffunction-sections"
    "$CHORD" $compiler $flags -fPIE -c one.c two.c
    for linker in bfd gold lld mold; do
      command -v ld.$linker >links || continue
      for kind in -pie -static -static-pie "-pie -Wl,--gc-sections -Wl,-z,now" "-pie -Wl,--as-needed"; do
        # gold knows neither static PIE nor that a section goes with the code it describes.
        case $linker$kind in gold-static-pie | gold*gc-sections*) continue ;; esac
        gcc -fuse-ld=$linker $kind one.o two.o -o program
        counts "$what $linker $kind"
      done
      # Stripped, the program has no map any more; a copy that was not tells the same.
      cp program whole
      strip program
      counts "$what $linker stripped" whole
    done
    ld -r one.o two.o -o both.o
    gcc both.o -o program
    counts "$what ld -r"
    "$CHORD" $compiler $flags -fno-pie -c one.c two.c
    gcc -no-pie one.o two.o -o program
    counts "$what no PIE"
    [ $compiler = clang ] && continue
    "$CHORD" gcc $flags -flto -c one.c two.c
    "$CHORD" gcc $flags -flto one.o two.o -o program
    counts "$what link-time optimisation"
  done
done
# Counters of events are there if some object counts any, whichever comes first.
cat >three.c <<'SOURCE'
#include <chord/chord.h>
int work(int n);
int main(void) {
  for (int i = 0; i < 10; i++) work(i);
  return (int)chord_events(CHORD_CALLS);
}
SOURCE
echo 'int work(int n) { return n + 1; }' >four.c
for events in --events=calls ""; do
  "$CHORD" $events gcc -O1 -fPIE "-I$root/runtime/include" -c three.c
  "$CHORD" gcc -O1 -fPIE -c four.c
  for linker in bfd gold lld mold; do
    command -v ld.$linker >links || continue
    for kind in -pie -static -no-pie; do
      for objects in "three.o four.o" "four.o three.o"; do
        gcc -fuse-ld=$linker $kind $objects -o program
        CHORD_OUT=p.chord expect_status $((${#events} == 0 ? 0 : 11)) ./program  # with its own call
      done
    done
  done
done

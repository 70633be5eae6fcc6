#!/bin/sh
# A thread-local variable of another file: the linker lets only few instructions have the offset that it keeps in a table, and where the variable
# is the program's own it makes an instruction without access of the load. Programs link, and only loads that are there miss.
. "$(dirname "$0")/../common.inc"
cat >main.c <<'SOURCE'
#include <stdio.h>
extern __thread int own, other;
__attribute__((noinline)) int get_own(void) { return own; }
__attribute__((noinline)) int get_other(void) { return other; }
int main(void) {
  for (int i = 0; i < 9; i++) own += get_other();
  printf("%d\n", get_own());
  return 0;
}
SOURCE
echo '__thread int own = 3;' >own.c
echo '__thread int other = 5;' >other.c
gcc -shared -fPIC other.c -o libother.so
# misses FUNCTION: of the load of the offset.
misses() {
  "$CHORD" report woven.chord --by=instruction --json | python3 -c "
import json, sys
print([r['metrics']['sim:l1d'] for r in json.load(sys.stdin)['rows'] if r['function'] == '$1' and 'gottpoff' in r['text'].lower()])"
}
# build OTHER COMPILER…: other.c, or a library with it.
build() {
  with=$1
  shift
  rm -f ./*.chord
  "$CHORD" $mode "$@" main.c own.c $with -Wl,-rpath,"$PWD" -o woven
  expect_equal "$mode $*" 48 "$(./woven)"
}
for mode in --metrics=sim:l1d "--context --metrics=sim:l1d" "--paths --metrics=sim:l1d"; do
  for compiler in gcc clang; do
    for level in -O0 -O2; do
      build ./libother.so $compiler $level
      [ "$compiler" = gcc ] || continue
      expect_equal "$mode $level: a load that the linker removed" "[0]" "$(misses get_own)"
      [ "$(misses get_other)" != "[0]" ] || fail "$mode $level: a load that is there never missed"
      build other.c $compiler $level -static
      expect_equal "$mode $level -static" "[0]" "$(misses get_other)"
    done
  done
  build ./libother.so gcc -O2 -fno-pie -no-pie
  expect_equal "$mode -no-pie" "[0]" "$(misses get_own)"
done

#!/bin/sh
# The runtime is joined to an object as it was assembled once, or assembled with it where the user wants something of
# all code: both give the same object, and outputs of any kind are written as the assembler would write them.
. "$(dirname "$0")/../e2e/common.inc"
cat >one.cc <<'SOURCE'
#include <cstdio>
#include <stdexcept>
#include <vector>
inline int twice(int n) { return 2 * n; }
thread_local int depth;
int main() {
  std::vector<int> all{1, 2, 3};
  try {
    for (int n : all) depth += twice(n);
    throw std::runtime_error("thrown");
  } catch (const std::exception &e) {
    std::printf("%s %d\n", e.what(), depth);
  }
}
SOURCE
# shape OBJECT: its sections, groups and symbols, whatever their numbers. (A name of ours that one part defines and
# another refers to weakly is weak in an assembly of both.)
shape() {
  readelf -SW "$1" | sed -n 's/^ *\[[ 0-9]*\] //p' | awk '$1 !~ /tab$|NULL|Name/ && $5 + 0 == 0 && $5 !~ /^0+$/ { print $1, $2, $5 }' | sort
  readelf -gW "$1" | grep -o '\[__chord[a-z_0-9]*\] contains [0-9]* sections' | sort
  readelf -sW "$1" | awk '$5 == "GLOBAL" || $5 == "WEAK" { print $3, $4, $8 ~ /^__chord_/ ? "" : $5, $6, $7 == "UND", $8 }' | sort
}
for options in "-O0 -g" "-O2 -ffunction-sections -fPIC" "-O2 -fno-asynchronous-unwind-tables"; do
  for mode in "" --context; do
    [ "$mode$options" != "--context-O2 -ffunction-sections -fPIC" ] || continue
    "$CHORD" $mode g++ $options -c one.cc -o joined.o
    "$CHORD" $mode g++ $options -Wa,-mrelax-relocations=yes -c one.cc -o appended.o
    shape joined.o >joined.shape
    shape appended.o >appended.shape
    diff appended.shape joined.shape >out || fail "$mode $options: $(cat out)"
    for object in joined appended; do
      g++ $object.o -o program
      rm -f p.chord
      CHORD_OUT=p.chord expect_status 0 ./program
      expect_equal "$mode $options $object" "thrown 12" "$(cat out)"
      "$CHORD" report p.chord --by=function --json >$object.json
    done
    cmp joined.json appended.json || fail "$mode $options: counts differ"
  done
done
# Another name of an old output keeps what it had; what is no file stays what it is.
echo old >joined.o
ln joined.o other
"$CHORD" g++ -c one.cc -o joined.o
expect_equal "another name" old "$(cat other)"
CHORD_FLAGS= "$CHORD" g++ -c one.cc -o /dev/null
[ -c /dev/null ] || fail "/dev/null is gone"

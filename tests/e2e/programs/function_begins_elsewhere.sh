#!/bin/sh
# A function whose first instruction was inlined from a header belongs to the file that defines it.
. "$(dirname "$0")/../common.inc"
cat >box.h <<'SOURCE'
struct Box {
  const int *first, *last;
  __attribute__((always_inline)) const int *begin() const { return first; }
  __attribute__((always_inline)) const int *end() const { return last; }
};
SOURCE
cat >sum.cc <<'SOURCE'
#include "box.h"
struct S {
  Box box;
  int total();
};
__attribute__((noinline)) int S::total() {
  int sum = 0;
  for (const int *i = box.begin(); i != box.end(); ++i) sum += *i;
  return sum;
}
int main() {
  int numbers[] = {1, 2, 3};
  S s{{numbers, numbers + 3}};
  return s.total() == 6 ? 0 : 1;
}
SOURCE
for compiler in g++ clang++; do
  for level in -O0 -O1 -O2; do
    rm -f sum.chord
    "$CHORD" $compiler $level -g sum.cc -o sum
    ./sum
    "$CHORD" report sum.chord --by=function --json >function.json
    expect_equal "$compiler $level: its file" sum.cc "$(basename "$(field function.json _ZN1S5totalEv file)")"
    "$CHORD" annotate sum.chord S::total >annotated
    expect_contains "$compiler $level: its source" "int S::total()" annotated
  done
done

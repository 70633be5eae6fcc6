#!/bin/sh
# `chord annotate FUNCTION` of a function that was inlined wherever it is called shows its lines, with what all its copies did.
. "$(dirname "$0")/../common.inc"
cat >inlined.cc <<'SOURCE'
namespace shapes {
struct Square {
  int side;
  __attribute__((always_inline)) int area() const {
    int sum = 0;
    for (int i = 0; i < side; i++)
      asm volatile("nop" : "+r"(sum));
    return sum;
  }
};
}
__attribute__((noinline)) int small(int side) { return shapes::Square{side}.area(); }
__attribute__((noinline)) int large(int side) { return shapes::Square{side}.area(); }
int main(int count, char **) { return small(2 + count) + large(39 + count); }
SOURCE
for compiler in g++ clang++; do
  "$CHORD" $compiler -O1 -g inlined.cc -o inlined
  ./inlined
  "$CHORD" report inlined.chord --by=function --csv >functions
  expect_absent "$compiler: a function of its own" area functions
  "$CHORD" annotate inlined.chord shapes::Square::area >annotated
  expect_contains "$compiler: both copies" "43 |     7        asm volatile" annotated
  expect_absent "$compiler: lines of its callers" "int large(int side)" annotated
  "$CHORD" annotate inlined.chord area --csv >table
  expect_absent "$compiler: other functions" main table
  rm inlined.chord
done
expect_status 1 "$CHORD" annotate inlined shapes::Circle

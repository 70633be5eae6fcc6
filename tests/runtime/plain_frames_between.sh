#!/bin/sh
# Exceptions and longjmps through, into and out of code that is not woven.
. "$(dirname "$0")/../e2e/common.inc"
cat >woven.cc <<'SOURCE'
extern "C" {
void plain_middle(void (*)(int), int);
int plain_catch(void (*)(int), int);
__attribute__((noinline)) void thrower(int i) {
  if (i % 2) throw i;
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void outer(int i) {
  plain_middle(thrower, i);
  __asm__ volatile("" ::: "memory");
}
}
int main() {
  int caught = 0;
  for (int i = 0; i < 100; i++) try {
      outer(i);
    } catch (int) {
      caught++;
    }
  for (int i = 0; i < 100; i++) caught += plain_catch(outer, i);
  return caught;
}
SOURCE
cat >plain.cc <<'SOURCE'
struct Object {
  ~Object() { __asm__ volatile("" ::: "memory"); }
};
extern "C" void plain_middle(void (*function)(int), int i) {
  Object object;
  function(i);
}
extern "C" int plain_catch(void (*function)(int), int i) {
  try {
    function(i);
  } catch (...) {
    return 1;
  }
  return 0;
}
SOURCE
for compiler in g++ clang++; do
  for level in -O0 -O2; do
    $compiler $level -c plain.cc
    "$CHORD" $compiler $level woven.cc plain.o -o through
    rm -f t.chord
    CHORD_OUT=t.chord expect_status 100 ./through
    expect_equal "$compiler $level outer" 200 "$(calls t.chord outer)"
    expect_equal "$compiler $level thrower" 200 "$(calls t.chord thrower)"
    "$CHORD" report t.chord >out 2>err
    expect_equal "$compiler $level warnings" "" "$(cat err)"
  done
done

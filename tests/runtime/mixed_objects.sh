#!/bin/sh
# Objects built with different options, each with its own parts of the runtime, in one program and in one process.
. "$(dirname "$0")/../e2e/common.inc"
cat >main.c <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
int context(int n);
int calls(int n);
int budget(int n);
jmp_buf back;
__attribute__((noinline)) void jump(int n) {
  if (n == 3) longjmp(back, 1);
}
static void *thread(void *unused) { return calls(2) != 0 ? unused : 0; }
int main(void) {
  pthread_t other;
  volatile int sum = 0;
  for (volatile int i = 0; i < 5; i++)
    if (setjmp(back) == 0) sum += context(i) + calls(i) + budget(i);
  pthread_create(&other, 0, thread, 0);
  pthread_join(other, 0);
  return sum & 1;
}
SOURCE
for name in context calls budget; do
  cat >$name.c <<SOURCE
void jump(int n);
__attribute__((noinline)) int ${name}_inner(int n) {
  if (*"$name" != 'b') jump(n);
  return n;
}
int $name(int n) { return ${name}_inner(n) * 2 - 2 * n; }
SOURCE
done

# build OPTIONS…: the objects, with these options of the compiler.
build() {
  "$CHORD" gcc "$@" -c main.c
  "$CHORD" --context gcc "$@" -c context.c
  "$CHORD" --callsites gcc "$@" -c calls.c
  "$CHORD" --budget --events=instructions --place=optimal gcc "$@" -c budget.c
}

# counts WHAT: context(3) is left by a longjmp, so calls(3) and budget(3) are not called by main.
counts() {
  rm -f p.chord
  CHORD_OUT=p.chord expect_status 0 ./program
  expect_equal "$1: said" "" "$(cat err)"
  "$CHORD" report p.chord --by=function --json >report 2>err
  expect_equal "$1: warnings" "" "$(cat err)"
  for expected in main:1 thread:1 context:5 context_inner:5 calls:5 calls_inner:5 budget:4 budget_inner:4 jump:10; do
    expect_equal "$1: ${expected%:*}" "${expected#*:}" "$(field report "${expected%:*}" calls)"
  done
}

build -O1 -fPIE -fno-optimize-sibling-calls -fno-inline
for linker in bfd gold lld mold; do
  command -v ld.$linker >links || continue
  for objects in "-pie main.o context.o calls.o budget.o" "-pie budget.o calls.o context.o main.o" "-static calls.o main.o context.o budget.o"; do
    gcc -fuse-ld=$linker $objects -o program
    counts "$linker $objects"
  done
done
# What is not there is not carried: an object without modes has the core alone.
readelf -gW main.o >groups
expect_absent "groups of a plain object" __chord_runtime_c groups
readelf -gW context.o >groups
expect_contains "its mode's group" __chord_runtime_context_1 groups

# Budgets are obeyed although the object that begins has never heard of them; and where nobody has, that is said.
gcc main.o context.o calls.o budget.o -o program
CHORD_OUT=p.chord CHORD_BUDGET=instructions:9 expect_status 152 sh -c ./program
expect_contains "a budget" "chord: stopped after" err
echo 'int main(void) { return 0; }' >empty.c
"$CHORD" gcc empty.c -o empty
CHORD_OUT=e.chord CHORD_BUDGET=calls:5 expect_status 0 ./empty
expect_contains "nobody knows of budgets" "CHORD_BUDGET='calls:5' is not obeyed: the program was not built with" err

# Modules of one process: the program has no mode, its libraries have one each; the thread's calls are measured by
# a library's code, and written by the program's.
"$CHORD" gcc -O1 -fno-inline -c main.c
"$CHORD" --callsites gcc -O1 -fno-inline -fPIC -shared calls.c -o libcalls.so
"$CHORD" --budget --events=instructions --place=optimal gcc -O1 -fno-inline -fPIC -shared budget.c -o libbudget.so
"$CHORD" gcc -O1 -fno-inline -c context.c
gcc -rdynamic main.o context.o -o program -L. -lcalls -lbudget -Wl,-rpath,'$ORIGIN'
counts "libraries"
CHORD_OUT=p.chord CHORD_BUDGET=instructions:9 expect_status 152 sh -c ./program
expect_contains "a budget of a library" "chord: stopped after" err

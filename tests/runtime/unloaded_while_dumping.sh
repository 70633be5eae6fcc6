#!/bin/sh
# Libraries are unloaded, with early ends of their functions to be kept, while another thread writes one
# segment after the other: none is lost. (A stack that stands in the dynamic linker may be noted.)
. "$(dirname "$0")/../e2e/common.inc"
cat >library.c <<'SOURCE'
#include <setjmp.h>
static jmp_buf home;
__attribute__((noinline)) void leave(int n) {
  if (n == 0) longjmp(home, 1);
  leave(n - 1);
  __asm__ volatile("");
}
int enter(int n) { return setjmp(home) == 0 ? leave(n), 0 : 1; }
SOURCE
cat >main.c <<'SOURCE'
#include <chord/chord.h>
#include <dlfcn.h>
#include <pthread.h>
static int over;
static void *dump(void *argument) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
    if (chord_dump() != 0) return &over;
  return argument;
}
int main(void) {
  pthread_t thread;
  void *result = 0;
  pthread_create(&thread, 0, dump, 0);
  for (int i = 0; i < 300; i++) {
    void *library = dlopen("./library.so", RTLD_NOW);
    int (*enter)(int) = (int (*)(int))dlsym(library, "enter");
    if (!enter(5)) return 1;
    dlclose(library);
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  pthread_join(thread, &result);
  return result != 0;
}
SOURCE
check() {
  rm -f ./*.chord
  "$CHORD" $build -fno-optimize-sibling-calls -fPIC -shared library.c -o library.so
  "$CHORD" $build -I"$root/runtime/include" main.c -o main -pthread
  expect_status 0 ./main
  "$CHORD" report main.chord --by=function --json >report 2>err
  expect_equal "$build: calls of enter" 300 "$(field report enter calls)"
  expect_equal "$build: calls of leave" 1800 "$(field report leave calls)"
}
each_build check

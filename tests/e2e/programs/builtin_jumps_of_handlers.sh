#!/bin/sh
# Handlers of a timer leave by __builtin_longjmp or setcontext, out of whatever they interrupt but a call that is being made: calls are those that the
# program has counted itself, and a report says nothing else.
. "$(dirname "$0")/../common.inc"
cat >jumps.c <<'SOURCE'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
static void *buffer[5];
static ucontext_t back;
static volatile int armed, sink;
static volatile unsigned long entered, jumps;
__attribute__((noinline)) static void leaf(int n) {
  entered++;
  for (int i = 0; i < 40; i++) sink ^= n + i;
}
static void handler(int signal) {
  (void)signal;
  if (!armed) return;
  armed = 0;
  jumps++;
#ifdef CONTEXT
  setcontext(&back);
#else
  __builtin_longjmp(buffer, 1);
#endif
}
__attribute__((noinline)) static void work(void) {
  armed = 1;
  for (int i = 0; i < 300; i++) {
    int was = armed;
    armed = 0;
    leaf(i);
    armed = was;
    for (int k = 0; k < 200; k++) sink += k;
  }
  armed = 0;
}
__attribute__((noinline)) static void once(void) {
#ifdef CONTEXT
  volatile int came = 0;
  getcontext(&back);
  if (!came) {
    came = 1;
    work();
  }
#else
  if (__builtin_setjmp(buffer) == 0) work();
#endif
  __asm__ volatile("" ::: "memory");  /* the frame stays until work has returned */
}
int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 300}, {0, 300}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, 0);
  for (int i = 0; i < 2000 || (jumps < 20 && i < 200000); i++) once();
  setitimer(ITIMER_REAL, &off, 0);
  printf("%lu\n", entered);
  return jumps < 20;
}
SOURCE
for compiler in "gcc -O0" "gcc -O2" "clang -O2"; do
  for jump in "" -DCONTEXT; do
    for mode in "" --paths --context; do
      rm -f jumps.chord
      # shellcheck disable=SC2086
      "$CHORD" --verify $mode $compiler $jump jumps.c -o jumps
      entered=$(./jumps)
      "$CHORD" report jumps.chord --by=function --json >report 2>errors
      expect_equal "warnings of $mode $compiler $jump" "" "$(cat errors)"
      expect_equal "calls in $mode $compiler $jump" "$entered" "$(sed -n 's/^{"function":"leaf",.*"calls":\([0-9]*\).*/\1/p' report)"
    done
  done
done

#!/bin/sh
# Threads of a static program that end by pthread_exit or are cancelled: the C library's jump out of them is in the same module, and not traced. Replay
# goes on, and has the counts of a build that counts.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static void leave(int n) {
  sink = n;
  if (n == 0) pthread_exit(0);
  leave(n - 1);
  sink = n;
}
static void tidy(void *p) { sink = *(int *)p; }
static void *run(void *p) {
  int n = *(int *)p;
  pthread_cleanup_push(tidy, &n);
  if (n > 2) pthread_exit(0);
  leave(n);
  pthread_cleanup_pop(0);
  return 0;
}
static void *wait_here(void *p) {
  for (;;) pause();
  return p;
}
int main(void) {
  for (int n = 0; n < 5; n++) {
    pthread_t thread;
    pthread_create(&thread, 0, run, &n);
    pthread_join(thread, 0);
  }
  pthread_t thread;
  pthread_create(&thread, 0, wait_here, 0);
  pthread_cancel(thread);
  pthread_join(thread, 0);
  return 0;
}
SOURCE
static_threads() {
  rm -f ./*.chord ./*.chordtrace
  "$CHORD" --trace $build -g -static prog.c -o traced -pthread
  "$CHORD" $build -g -static prog.c -o counted -pthread
  ./traced
  ./counted
  # How far the thread that is cancelled gets is not the same in both.
  for side in traced.chordtrace counted.chord; do
    "$CHORD" report $side --by=instruction --csv 2>err | grep -v wait_here | cut -d, -f1,2,3,5- | sed 's/traced//; s/counted//' >$side.rows
    [ -s err ] && fail "$build: $side: $(cat err)"
  done
  cmp traced.chordtrace.rows counted.chord.rows || fail "$build: counts differ: $(diff traced.chordtrace.rows counted.chord.rows | head -4)"
}
each_build static_threads

#!/bin/sh
# A running, threaded program is asked for its counts by a signal; it goes on, and the
# segments add up.
. "$(dirname "$0")/../e2e/common.inc"
cat >live.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
static volatile int stop;
__attribute__((noinline)) void work(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void *run(void *argument) {
  for (int i = 0; i < 100000; i++) work();
  while (!stop) work();
  return argument;
}
int main(void) {
  char byte;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
  if (write(1, "ready\n", 6) != 6) return 1;
  while (read(0, &byte, 1) < 0) continue;
  stop = 1;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
SOURCE
"$CHORD" gcc -O1 live.c -o live -pthread
cat >ask.py <<'PYTHON'
import ctypes, os, struct, subprocess, sys, time
libc = ctypes.CDLL(None)
process = subprocess.Popen(["./live"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdout.readline()
size = 0
for _ in range(5):
    info = ctypes.create_string_buffer(128)
    struct.pack_into("<iii4xiiQ", info, 0, 33, 0, -1, os.getpid(), os.getuid(), 0x64756D70)
    assert libc.syscall(129, process.pid, 33, info) == 0
    for _ in range(200):
        now = os.path.getsize("live.chord") if os.path.exists("live.chord") else 0
        if now > size: break
        time.sleep(0.01)
    assert now > size, "no segment was written"
    size = now
process.stdin.close()
sys.exit(process.wait())
PYTHON
expect_status 0 python3 ask.py
"$CHORD" report live.chord --by=function --json >report 2>err
expect_equal "warnings" "" "$(cat err)"
expect_equal "calls of run" 2 "$(field report run calls)"
expect_equal "calls of main" 1 "$(field report main calls)"

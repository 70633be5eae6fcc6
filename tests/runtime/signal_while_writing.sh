#!/bin/sh
# A fatal signal that arrives while the last segment is being written, whatever ended the process, kills it
# then (unless another signal has already), and nothing is counted twice.
. "$(dirname "$0")/../e2e/common.inc"
cat >ends.c <<'SOURCE'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile("" ::: "memory"); }
int main(int count, char **arguments) {
  (void)count;
  for (int i = 0; i < 5; i++) work();
  if (arguments[1][0] == '_') _exit(0);
  if (arguments[1][0] == 'q') quick_exit(0);
  if (arguments[1][0] == 's') raise(SIGHUP);
  return 0;
}
SOURCE
# Holds the profile's lock, so that the program waits in the middle of writing.
cat >interrupt.py <<'PYTHON'
import fcntl, signal, subprocess, sys, time
with open("p.chord", "wb") as profile:
    fcntl.flock(profile, fcntl.LOCK_EX)
    process = subprocess.Popen(["./ends", sys.argv[1]])
    opened = lambda: subprocess.run(["sh", "-c", f"ls -l /proc/{process.pid}/fd | grep -q p.chord"]).returncode == 0
    while not opened():
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.05)
print(process.wait())
PYTHON
interrupt() {
  "$CHORD" $build ends.c -o ends
  for how in return _exit quick_exit signal; do
    status=$(CHORD_OUT="$work/p.chord" python3 interrupt.py $how)
    "$CHORD" report p.chord --by=function --json >report 2>err || fail "$build, $how: $(cat err)"
    expect_equal "$build, $how: warnings" "" "$(cat err)"
    expect_equal "$build, $how: calls" 5 "$(field report work calls)"
    expect_equal "$build, $how: calls of main" 1 "$(field report main calls)"
    if [ $how = signal ]; then killed_by=1; else killed_by=15; fi
    expect_equal "$build, $how: status" -$killed_by "$status"
  done
}
each_build interrupt

#!/bin/sh
# Handlers of a timer interrupt probes of models, in line, out of line and while they ask the runtime, and leave by siglongjmp: every
# activation is counted, and where it ended is known.
. "$(dirname "$0")/../common.inc"
cat >storm.c <<'SOURCE'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static sigjmp_buf home;
static volatile sig_atomic_t armed, jumps, entered;
static int data[4096];
__attribute__((noinline)) static long work(int n) {
  entered++;
  long sum = 0;
  for (int i = 0; i < n; i++) {
    sum += data[(i * 37) & 4095];
    data[i & 4095] = (int)sum;
    if (sum & 4) sum ^= i;
  }
  return sum;
}
static void on_alarm(int signal) {
  (void)signal;
  if (!armed) return;
  jumps++;
  siglongjmp(home, 1);
}
static long some(int n) {
  static long total;
  if (sigsetjmp(home, 1) == 0) {
    armed = 1;
    total += work(n);
  }
  armed = 0;
  return total;
}
int main(void) {
  struct itimerval timer = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &timer, 0);
  for (int i = 0; i < 400; i++) some(20000);
  setitimer(ITIMER_REAL, &none, 0);
  printf("%d %d\n", (int)entered, (int)jumps);
}
SOURCE
for build in "--metrics=sim:l1d gcc -O2" "--context --metrics=sim:l1d,sim:l2 gcc -O2" "--context --metrics=sim:branch,sim:l1i clang -O1" "--paths --metrics=sim:l1d gcc -O1"; do
  rm -f ./*.chord
  "$CHORD" $build -g storm.c -o storm
  read -r entered jumps <<NUMBERS
$(./storm)
NUMBERS
  [ "$jumps" -gt 20 ] || fail "$build: the storm was a breeze: $jumps jumps"
  "$CHORD" report storm.chord --by=function --json >report 2>err || fail "$build: $(cat err)"
  ! grep -q contradict err || fail "$build: $(cat err)"
  calls=$(python3 -c 'import json; print(sum(r["calls"] for r in json.load(open("report"))["rows"] if r["function"].split(".")[0] == "work"))')
  # A jump may come after the call and before the function says that it was entered.
  [ "$calls" -ge "$entered" ] && [ "$calls" -le $((entered + jumps)) ] || fail "$build: $calls calls, $entered entered, $jumps jumps"
done

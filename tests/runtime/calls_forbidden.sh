#!/bin/sh
# System calls that runs are made shorter by may be forbidden (containers, seccomp): the same is found out otherwise. A thread that
# clone made is noted in any case.
. "$(dirname "$0")/../e2e/common.inc"
cat >forbidding.c <<'SOURCE'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
// forbidding NUMBER COMMAND...: the system call of that number fails with EPERM.
int main(int argc, char **argv) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(argv[1]), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof code[0], code};
  if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 77;
  execv(argv[2], argv + 2);
  return 78;
}
SOURCE
gcc -O1 forbidding.c -o forbidding
cat >sample.c <<'SOURCE'
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <unistd.h>
static char stack[65536];
static volatile int counted, stop;
__attribute__((noinline)) void step(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }
static int run(void *unused) {
  step(1);
  counted = 1;
  while (!stop) usleep(1000);
  return unused != 0;
}
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 5; i++) step(i);
  if (argc > 1) {
    clone(run, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, 0);
    while (!counted) usleep(1000);
  }
  return 0;
}
SOURCE
# unshare, lstat, sigaltstack
each() {
  "$CHORD" $build sample.c -o sample
  for number in 272 6 131; do
    rm -f sample.chord
    ./forbidding $number ./sample || fail "$build, $number: status $?"
    expect_equal "$build, $number" "5" "$(calls sample.chord step)"
    "$CHORD" report sample.chord >report 2>&1
    expect_absent "$build, $number" warning report
    expect_equal "$build, $number: executable" "$(realpath sample)" "$("$CHORD" print sample.chord | sed -n 's/^executable "\(.*\)"$/\1/p')"
    ./forbidding $number ./sample thread || fail "$build, $number: status $?"
    "$CHORD" report sample.chord >report 2>&1
    expect_contains "$build, $number, with a thread" "clone" report
  done
}
each_build each

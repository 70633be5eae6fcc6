#!/bin/sh
# `--context` where there is much of it: a million activations of a recursion, 390,007 contexts, 32 threads. All counts follow from
# arithmetic; each program takes a second or two of CPU time, and 20 at most.
. "$(dirname "$0")/../common.inc"
cat >deep.c <<'SOURCE'
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int odd(int n);
NOINLINE int even(int n) { if (n == 0) return 1; int r = odd(n - 1); sink++; return r; }
NOINLINE int odd(int n) { if (n == 0) return 0; int r = even(n - 1); sink++; return r; }
static void *run(void *p) { sink = even(1000000); return p; }
int main(void) {
  pthread_attr_t large;
  pthread_t thread;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 512l << 20);
  if (pthread_create(&thread, &large, run, 0) == 0) pthread_join(thread, 0);
  return 0;
}
SOURCE
# The helper is not among its callers: to know that takes no longer where there are many.
cat >kept.c <<'SOURCE'
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void helper(void) { sink++; }
NOINLINE int odd(int n);
NOINLINE int even(int n) { if (n == 0) return 1; helper(); int r = odd(n - 1); helper(); return r; }
NOINLINE int odd(int n) { if (n == 0) return 0; helper(); int r = even(n - 1); helper(); return r; }
static void *run(void *p) { sink = even(130001); return p; }
int main(void) {
  pthread_attr_t large;
  pthread_t thread;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 512l << 20);
  if (pthread_create(&thread, &large, run, 0) == 0) pthread_join(thread, 0);
  return 0;
}
SOURCE
cat >many.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void f0(void) { sink++; }
#define LEVEL(f, g) NOINLINE void f(void) { g(); g(); g(); g(); sink++; }
LEVEL(f1, f0) LEVEL(f2, f1) LEVEL(f3, f2) LEVEL(f4, f3) LEVEL(f5, f4) LEVEL(f6, f5) LEVEL(f7, f6) LEVEL(f8, f7)
int main(void) { while (sink < 3 * 87381) f8(); return 0; }
SOURCE
cat >threads.c <<'SOURCE'
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void leaf(int n) { for (int i = 0; i < n; i++) (void)sink; }
NOINLINE void inner(int n) { leaf(n); leaf(n + 1); __asm__ volatile(""); }
NOINLINE void outer(int n) { inner(n); leaf(n); __asm__ volatile(""); }
static void *run(void *p) { for (int i = 0; i < 1000; i++) { outer(i & 3); inner(1); } return p; }
int main(void) {
  pthread_t threads[32];
  for (int i = 0; i < 32; i++) pthread_create(threads + i, 0, run, 0);
  for (int i = 0; i < 32; i++) pthread_join(threads[i], 0);
  return 0;
}
SOURCE
# sums PROGRAM [OPTION…]: contexts and calls of each function.
sums() {
  rm -f ./*.chord
  "$CHORD" $1 gcc -O1 "$2.c" -o "$2" -pthread
  (ulimit -t 20 && exec "./$2")
  shift
  shift
  "$CHORD" contexts "$@" --json >contexts.json
  python3 -c '
import collections, json
rows = json.load(open("contexts.json"))["rows"]
calls, contexts = collections.Counter(), collections.Counter()
for r in rows:
    calls[r["function"]] += r["calls"]
    contexts[r["function"]] += 1
print(*(f"{f}:{contexts[f]}:{calls[f]}" for f in sorted(calls)))'
}
expect_equal "deep" "even:1:500001 main:1:1 odd:1:500000 run:1:1" "$(sums --context deep)"
expect_equal "deep, kept apart" "even:5000:500001 main:1:1 odd:5000:500000 run:1:1" "$(sums --context=depth:5000 deep)"
expect_equal "all kept apart" "even:65001:65001 helper:260002:260002 main:1:1 odd:65001:65001 run:1:1" "$(sums --context=depth:65535 kept)"
expect_equal "many" "f0:65536:196608 f1:16384:49152 f2:4096:12288 f3:1024:3072 f4:256:768 f5:64:192 f6:16:48 f7:4:12 f8:1:3 main:1:1" \
  "$(sums --context many)"
expect_equal "threads" "inner:2:64000 leaf:5:160000 main:1:1 outer:1:32000 run:1:32" "$(sums --context threads)"
expect_equal "by thread" "inner:64:64000 leaf:160:160000 main:1:1 outer:32:32000 run:32:32" "$(sums --context threads --by-thread)"

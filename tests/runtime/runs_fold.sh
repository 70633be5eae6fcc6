#!/bin/sh
# Runs of one build become one segment: the profile stays as large as one run's, and every count, the number of runs
# included, is what CHORD_KEEP_RUNS=1 adds up to.
. "$(dirname "$0")/../e2e/common.inc"
cat >many.cc <<'SOURCE'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
__attribute__((noinline)) int leaf(int n) {
  if (n == 0) throw 7;
  return n * 3;
}
__attribute__((noinline)) int nest(int n) {
  if (n > 6) exit(0);
  return nest(n + 1) + 1;
}
void *run(void *argument) {
  long sum = 0;
  for (long i = 0; i < (long)argument; i++) sum += leaf((int)i + 1);
  return (void *)sum;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3;
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], nullptr, run, (void *)(i + n));
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int i = n; i >= 0; i--) {
    try {
      leaf(i);
    } catch (int) {
      n += 100;
    }
  }
  if (argc > 2 && strcmp(argv[2], "nest") == 0) nest(argc);
  return 0;
}
SOURCE
rows() {  # PROFILE NAME
  for by in function line edge instruction; do "$CHORD" report "$1" --by=$by --json; done >"$2"
  "$CHORD" report "$1" --json >>"$2"
  "$CHORD" events "$1" --by=thread --json >>"$2"
}
for build in "g++ -O1 -g" "g++ -O2 -g -fPIC -pie" "clang++ -O2 -g"; do
  rm -f ./*.chord
  "$CHORD" --events=instructions,calls --place=optimal $build -pthread many.cc -o many
  mkdir -p elsewhere
  runs() {
    for i in 1 2 3 4 5 6 7 8; do
      ./many $i
      ./many $i nest
      (cd elsewhere && ../many 9)
    done
  }
  export CHORD_OUT="$work/folded.chord"
  ./many
  one=$(wc -c <folded.chord)
  runs
  export CHORD_OUT="$work/kept.chord" CHORD_KEEP_RUNS=1
  ./many
  runs
  unset CHORD_OUT CHORD_KEEP_RUNS
  rows folded.chord folded
  rows kept.chord kept
  cmp folded kept || fail "$build: folded runs do not count what they did"
  "$CHORD" report folded.chord >summary
  expect_contains "$build: runs" "25 runs, 100 threads" summary
  size=$(wc -c <folded.chord)
  [ "$size" -le $((4 * one)) ] || fail "$build: $size bytes after 25 runs, $one after one"
  [ "$(wc -c <kept.chord)" -gt $((12 * one)) ] || fail "$build: CHORD_KEEP_RUNS kept $(wc -c <kept.chord) bytes"
  # What merging makes of it.
  "$CHORD" merge -o merged.chord folded.chord
  rows merged.chord merged
  cmp merged kept || fail "$build: merged runs do not count what they did"
done

# Marks keep their runs apart; another program does not disturb, nor does another build.
cat >marks.c <<'SOURCE'
#include <chord/chord.h>
__attribute__((noinline)) void step(void) { __asm__ volatile("" ::: "memory"); }
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < argc; i++) step();
  if (argc > 2) chord_mark("second");
  step();
}
SOURCE
"$CHORD" gcc -O1 -I"$root/runtime/include" marks.c -o marks
sample_program
"$CHORD" gcc -O1 sample.c -o sample
export CHORD_OUT="$work/mixed.chord"
for i in 1 2 3 4 5; do ./marks 1; ./sample >/dev/null; ./marks 1 2; done
unset CHORD_OUT
"$CHORD" report mixed.chord --program=./marks --by=function --json >marks.json
# 5 times 2 + 1 and 3 + 1
expect_equal "calls of step" 35 "$(field marks.json step calls)"
"$CHORD" report mixed.chord --program=./sample --by=function --json >sample.json
expect_equal "calls of work" 15 "$(field sample.json work calls)"
# Counts of libraries, of which not all are there each time.
printf 'int part(int n) { return n + 1; }\n' >part.c
cat >user.c <<'SOURCE'
#include <dlfcn.h>
int main(int argc, char **argv) {
  if (argc == 1) return 0;
  int (*part)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "part");
  return part(4) - 5;
}
SOURCE
"$CHORD" gcc -O1 -fPIC -shared part.c -o libpart.so
"$CHORD" gcc -O1 user.c -o user
rm -f user.chord
for i in 1 2 3 4; do CHORD_OUT=user.chord ./user; CHORD_OUT=user.chord ./user "$work/libpart.so"; done
expect_equal "calls in the library" 4 "$(calls user.chord part)"
expect_equal "calls in the program" 8 "$(field calls.json main calls)"

#!/bin/sh
# A hundred woven libraries that are loaded while the program runs: the C library keeps little
# thread-local memory for such, and each takes as little as it can. Counted exactly in two threads.
. "$(dirname "$0")/../e2e/common.inc"
count=100
cat >library.c <<'SOURCE'
#define NAME_(n) called_##n
#define NAME(n) NAME_(n)
int NAME(N)(int x) { return x + N; }
SOURCE
cat >main.c <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *call_all(void *argument) {
  char name[64];
  int first = *(int *)argument;
  for (int i = first; i <= COUNT; i++) {
    snprintf(name, sizeof name, "./lib%d.so", i);
    void *library = dlopen(name, RTLD_NOW);
    if (library == NULL) return dlerror();
    snprintf(name, sizeof name, "called_%d", i);
    int (*called)(int) = (int (*)(int))dlsym(library, name);
    for (int k = 0; k < i; k++)
      if (called(k) != k + i) return "wrong result";
  }
  return NULL;
}
int main(void) {
  int first = 1, later = COUNT / 2;
  void *failure = call_all(&first);
  pthread_t thread;
  if (failure == NULL) {
    pthread_create(&thread, NULL, call_all, &later);
    pthread_join(thread, &failure);
  }
  if (failure != NULL) fprintf(stderr, "%s\n", (char *)failure);
  return failure != NULL;
}
SOURCE
n=1
while [ $n -le $count ]; do
  "$CHORD" gcc -O1 -fPIC -shared -DN=$n library.c -o lib$n.so
  n=$((n + 1))
done
"$CHORD" gcc -O1 -DCOUNT=$count main.c -o main -ldl -pthread
./main || fail "the program does not run"
"$CHORD" report --by=function --json >report.json
for n in 1 49 50 100; do
  twice=$((n < count / 2 ? n : 2 * n))
  expect_equal "calls in library $n" $twice "$(field report.json called_$n calls)"
done

#!/bin/sh
# Woven libraries in a plain program: loaded, left and loaded again in any order, with
# threads of their own; one instance counts for all.
. "$(dirname "$0")/../e2e/common.inc"
cat >library.c <<'SOURCE'
#include <pthread.h>
__attribute__((noinline)) int NAME(work)(int n) {
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
static void *run(void *argument) {
  for (int i = 0; i < 1000; i++) NAME(work)(i);
  return argument;
}
void NAME(go)(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}
__attribute__((destructor)) static void leave(void) { NAME(work)(1); }
SOURCE
cat >host.c <<'SOURCE'
#include <dlfcn.h>
#include <stdlib.h>
static void *load(const char *path, const char *name) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) abort();
  ((void (*)(void))dlsym(library, name))();
  return library;
}
int main(void) {
  for (int i = 0; i < 3; i++) {
    void *one = load("./one.so", "one_go"), *two = load("./two.so", "two_go");
    dlclose(i % 2 ? one : two);
    if (i == 2) exit(0);
    dlclose(i % 2 ? two : one);
  }
}
SOURCE
gcc host.c -o plain
"$CHORD" gcc -O1 host.c -o woven
for compiler in gcc clang; do
  for level in -O0 -O2; do
    "$CHORD" $compiler $level -fPIC -shared '-DNAME(n)=one_##n' library.c -o one.so
    "$CHORD" $compiler $level -fPIC -shared '-DNAME(n)=two_##n' library.c -o two.so
    for host in plain woven; do
      rm -f h.chord
      CHORD_OUT=h.chord expect_status 0 ./$host
      expect_equal "$compiler $level $host one" 12003 "$(calls h.chord one_work)"
      expect_equal "$compiler $level $host two" 12003 "$(calls h.chord two_work)"
    done
  done
done

#!/bin/sh
# A shared object defines what the plain one defines, whatever compiles and links it; and our own functions only
# if it uses them.
. "$(dirname "$0")/../e2e/common.inc"
cat >first.c <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
static jmp_buf there;
static void *run(void *argument) { return argument; }
int start(int x) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  return x;
}
void leave(void) { longjmp(there, 1); }
SOURCE
cat >second.c <<'SOURCE'
int twice(int x) { return 2 * x; }
SOURCE
cat >third.c <<'SOURCE'
#include <chord/chord.h>
int cut(void) { return chord_dump(); }
SOURCE
# mold names what a thread-local descriptor refers to: a local symbol, which nothing can be bound to.
exported() { defined "$1" | grep -vx 'b \.Lchordrt_words'; }
defined() { nm -D --defined-only "$1" | awk '{ print $2, $3 }' | sort; }

compare() {
  $compiler -O1 -fPIC -shared -fuse-ld=$linker first.c second.c -o plain.so -pthread
  for options in "" --events=instructions --callsites --paths --counters=global; do
    "$CHORD" $options $compiler -O1 -fPIC -shared -fuse-ld=$linker first.c second.c -o woven.so -pthread
    expect_equal "$compiler $linker $options" "$(exported plain.so)" "$(exported woven.so)"
  done
  "$CHORD" $compiler -I"$root/runtime/include" -O1 -fPIC -shared -fuse-ld=$linker first.c third.c -o using.so -pthread
  defined using.so >using
  expect_contains "$compiler $linker: our functions" " __chord_api_dump" using
  expect_absent "$compiler $linker: our functions" pthread_create using
}

for compiler in gcc clang; do
  for linker in bfd lld mold; do
    echo 'int x;' >empty.c
    $compiler -shared -fPIC -fuse-ld=$linker empty.c -o empty.so 2>/dev/null || continue
    compare
  done
done

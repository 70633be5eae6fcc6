#!/bin/sh
# A woven library in a program that knows nothing of it and starts threads itself.
. "$(dirname "$0")/../e2e/common.inc"
cat >native.c <<'SOURCE'
__attribute__((noinline)) int work(int n) {
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
int many(int n) {
  for (int i = 0; i < n; i++) work(i);
  return n;
}
SOURCE
cat >use.py <<'PYTHON'
import ctypes, threading
native = ctypes.CDLL("./native.so")
threads = [threading.Thread(target=native.many, args=(1000000,)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(native.many(7))
PYTHON
for compiler in gcc clang; do
  for level in -O0 -O2; do
    "$CHORD" $compiler $level -fPIC -shared native.c -o native.so
    rm -f y.chord
    expect_equal "$compiler $level: output" 7 "$(CHORD_OUT=y.chord python3 use.py)"
    expect_equal "$compiler $level: calls of work" 4000007 "$(calls y.chord work)"
  done
done

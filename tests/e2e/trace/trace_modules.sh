#!/bin/sh
# Each woven module has its own stream in each thread: programs, libraries that are loaded and unloaded, libraries of plain programs, static and
# position-independent programs. And rows can be asked for by their place.
. "$(dirname "$0")/../common.inc"
cat >lib.c <<'END'
int lib_work(int n, int (*cb)(int)) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? cb(i) : i; return s; }
END
cat >main.c <<'END'
#include <stdio.h>
#include <dlfcn.h>
#include <pthread.h>
static int cb(int n) { return n & 1 ? n * 2 : n; }
static void *run(void *l) { int (*w)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(l, "lib_work"); return (void *)(long)w(10, cb); }
int main(void) { void *l = dlopen("./lib.so", RTLD_NOW); if (!l) { puts(dlerror()); return 1; } pthread_t t; void *r; pthread_create(&t, 0, run, l); pthread_join(t, &r); printf("%ld %ld\n", (long)r, (long)run(l));
  if (CLOSE) dlclose(l);  return 0; }
END
calls() { "$CHORD" trace "$1" --csv 2>err | awk -F, -v thread="$2" -v name="$3" '$1 == thread && $3 == name' | wc -l; }
modules() {
  "$CHORD" --trace $build -g -fPIC -shared lib.c -o lib.so
  for close in 0 1; do
    "$CHORD" --trace $build -g -DCLOSE=$close main.c -o prog
    expect_equal "$build: prints" "58 58" "$(./prog)"
    "$CHORD" trace stats --json prog.chordtrace | grep -q '"program":"[^"]*/prog"' || fail "$build: which module is the program"
    for thread in 1 2; do
      expect_equal "$build, close $close: cb in thread $thread" 6 "$(calls prog.chordtrace $thread cb)"
      expect_equal "$build, close $close: lib_work in thread $thread" 1 "$(calls prog.chordtrace $thread lib_work)"
    done
    "$CHORD" trace prog.chordtrace --by=instruction --csv >rows || fail "$build: it does not replay"
    [ "$(awk -F, '$3 == "lib_work"' rows | wc -l)" -gt 100 ] || fail "$build, close $close: of lib_work too little"
  done
  $build -DCLOSE=1 main.c -o plain
  expect_equal "$build: plain program prints" "58 58" "$(./plain)"
  expect_equal "$build: library of a plain program" 1 "$(calls plain.chordtrace 1 lib_work)"
}
each_build modules

cat >single.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int f(int n) {
  if (n % 3) return n;
  return f(n / 3) + 1;
}
int main(void) {
  int sum = 0;
  for (int i = 1; i < 100; i++) sum += f(i * 2);
  printf("%d\n", sum);
  return 0;
}
END
for options in "gcc -O3 -static" "gcc -O0 -static-pie" "clang -O0 -fPIC" "gcc -O0 -fPIC -fcf-protection=full" "gcc -O0 -fno-asynchronous-unwind-tables"; do
  "$CHORD" --trace $options -g single.c -o single
  ./single >/dev/null
  [ "$(calls single.chordtrace 1 f)" -ge 99 ] || fail "$options: $(calls single.chordtrace 1 f) calls"
done
# Control comes to the line before the call in it, and after.
expect_equal "rows of a line" 96 "$("$CHORD" trace single.chordtrace --find=single.c:4 --csv | tail -n +2 | wc -l)"
expect_equal "the last of them" 1 "$("$CHORD" trace single.chordtrace --last=single.c:4 --csv | tail -n +2 | wc -l)"
expect_equal "rows of a function" "$(calls single.chordtrace 1 f)" "$("$CHORD" trace single.chordtrace --find=f --csv | tail -n +2 | wc -l)"
expect_equal "the last instructions" 20 "$("$CHORD" trace single.chordtrace --before-end=20 --by=instruction --csv | tail -n +2 | wc -l)"
expect_equal "the very last" "$("$CHORD" trace single.chordtrace --by=instruction --csv | tail -n 1)" "$("$CHORD" trace single.chordtrace --before-end=1 --by=instruction --csv | tail -n 1)"
expect_status 2 "$CHORD" trace single.chordtrace --find=single.c:x

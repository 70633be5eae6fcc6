#!/bin/sh
# Calling contexts out of a core file are those that the program writes itself when it dies: every count of every context,
# with records in registers, callers' registers and frames, below signal handlers, in threads and coroutines, after longjmps,
# with paths in them and without.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/dying_work.inc"
cat >die.c <<'SOURCE'
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>
#include "work.h"
static jmp_buf back;
__attribute__((noinline)) static void leap(int n) {
  if (n == 0) longjmp(back, 1);
  leap(n - 1);
  zero = 0;
}
static ucontext_t *main_context, *own_context;
__attribute__((noinline)) static void leave(int n) {
  if (n == 0) swapcontext(own_context, main_context);
  else leave(n - 1);
  zero = 0;
}
static void coroutine(void) { leave(saved(2, 0) & 3); }
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 50; i++) by_number(i * 37, 0);
  if (!strcmp(what, "handler")) {
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
  }
  if (!strcmp(what, "thread")) {
    start_thread();
    nested(2, 5);
  }
  if (!strcmp(what, "jump")) {  // frames that were left before
    for (int i = 0; i < 4; i++)
      if (setjmp(back) == 0) leap(i);
  }
  if (!strcmp(what, "coroutine")) {
    static char stack[1 << 16];
    static ucontext_t here, there;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    main_context = &here;
    own_context = &there;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
  }
  if (!strcmp(what, "abort")) {
    if (saved(5, 0) > 0) abort();
  }
  return (int)nested(4, 6) & 1;
}
SOURCE
facts() {  # PROFILE NAME
  "$CHORD" contexts "$1" --json --by-thread >"$2.contexts" 2>"$2.err"
  "$CHORD" report "$1" --by=instruction --json >"$2.instructions" 2>>"$2.err"
  "$CHORD" report "$1" --context='main > * > saved > *' --by=edge --json >"$2.edges" 2>>"$2.err"
  case $mode in *paths*) "$CHORD" paths "$1" --json >"$2.paths" 2>>"$2.err" ;; *) : >"$2.paths" ;; esac
  expect_equal "$build, $what: warnings of $2" "" "$(cat "$2.err")"
}
same_contexts() {  # BUILD
  build="$mode $*"
  for what in fault handler thread abort jump coroutine; do
    run_core $what
    "$CHORD" dump core --profile=from_core.chord >out
    facts from_core.chord from_core
    rm -f die.chord core* from_core.chord
    ./die $what >out 2>err || true
    facts die.chord by_itself
    for kind in contexts instructions edges paths; do
      cmp -s from_core.$kind by_itself.$kind ||
        fail "$build, $what: the core's $kind are not those the program writes: $(diff from_core.$kind by_itself.$kind | head -5)"
    done
    [ "$(grep -c nested from_core.contexts)" -gt 0 ] || [ $what = abort ] || fail "$build, $what: nested is in no context"
  done
}
flags="-fno-optimize-sibling-calls -fno-inline -pthread"
for mode in --context "--context --paths"; do
  for compiler in "gcc -O0" "gcc -O2" "clang -O2"; do
    command -v ${compiler%% *} >/dev/null || continue
    "$CHORD" --verify=off $mode $compiler $flags die.c -o die
    same_contexts $compiler
  done
done
mode=--context
for kind in -static-pie "-fPIC -pie"; do
  "$CHORD" --verify $mode gcc -O1 $kind $flags die.c -o die
  same_contexts gcc $kind
done

# What is in the profile already, what was thrown away or not counted, and what libraries did that are gone.
cat >lib.c <<'SOURCE'
static volatile int sink;
__attribute__((noinline)) static int inner(int n) { return n & 1 ? sink : n; }
int part(int n) { return inner(n) + inner(n + 1) + sink; }
SOURCE
cat >after.c <<'SOURCE'
#include <chord/chord.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
static volatile int sink;
__attribute__((noinline)) static int step(int n) { return n & 1 ? sink : 2; }
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += step(i);
  return sum;
}
__attribute__((noinline)) static void use(int n) {
  void *library = dlopen("./lib.so", RTLD_NOW);
  ((int (*)(int))dlsym(library, "part"))(n);
  dlclose(library);
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  work(3);
  use(1);
  if (strchr(what, 'd')) chord_dump();
  work(4);
  use(2);
  if (strchr(what, 'r')) chord_reset();
  work(5);
  use(3);
  if (strchr(what, 'p')) chord_pause();
  work(50);
  if (strchr(what, 'c')) chord_resume();
  work(2);
  abort();
}
SOURCE
"$CHORD" --context gcc -O1 -fPIC -shared lib.c -o lib.so
"$CHORD" --context gcc -O1 -I"$root/runtime/include" after.c -o after
for what in - d r dr p dp drpc; do
  rm -f after.chord core*
  ./after $what >out 2>err || true
  "$CHORD" contexts after.chord --json >by_itself.json
  rm -f after.chord
  (ulimit -c unlimited && CHORD_SIGNALS=0 ./after $what) >out 2>err || true
  [ -f core ] || mv core.* core 2>/dev/null || CHORD_SIGNALS=0 gdb -nx -batch -ex "run $what" -ex 'generate-core-file core' ./after >out 2>err </dev/null
  "$CHORD" dump core --profile=after.chord >out
  "$CHORD" contexts after.chord --json >from_core.json
  cmp by_itself.json from_core.json || fail "after '$what': the core's contexts are not those the program writes"
done
# Damage is named, whatever is damaged.
python3 - <<'PYTHON'
import random
rng, core = random.Random(7), bytearray(open("core", "rb").read())
for n in range(12):
    damaged = bytearray(core)
    for _ in range(1 + 40 * n): damaged[rng.randrange(len(core))] ^= 1 << rng.randrange(8)
    open(f"damaged.{n}", "wb").write(damaged)
PYTHON
for n in 0 1 2 3 4 5 6 7 8 9 10 11; do
  status=0
  timeout 60 "$CHORD" dump damaged.$n --profile=damaged.chord >out 2>err || status=$?
  [ $status -le 1 ] || fail "damaged.$n: status $status: $(cat err)"
  [ $status = 0 ] || expect_contains "damaged.$n" "chord: error:" err
done

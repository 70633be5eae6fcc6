#!/bin/sh
# Unwinding through functions that keep the number of their path in a caller's register or in their
# frame: by exceptions, by backtrace() out of a signal that strikes at every single instruction, and by
# a debugger, which must also find the callers' registers. All as in the plain program.
. "$(dirname "$0")/../common.inc"
cat >frames.cc <<'SOURCE'
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

extern "C" {
#define OWN __attribute__((noinline))
OWN int f_leaf(int n, int limit) {
  int s = 0;
  for (int i = 0; i < n; i++) s += i & 1 ? i : -i;
  if (n > limit) throw s;
  return s;
}
// Leaves callee-saved registers alone: one of them holds the number.
OWN int f_saved(int n, int limit) {
  int s = n & 1 ? f_leaf(n, limit) : 2;
  if (n > 2) s += f_leaf(n - 1, limit);
  return s;
}
// Uses all of them itself: the number is in memory.
OWN long f_memory(int n, int limit) {
  long a = f_saved(n, limit), b = f_saved(n + 1, limit), c = f_saved(n & 3, limit), d = f_saved(1, limit);
  long e = f_saved(2, limit), f = n > 2 ? f_saved(3, limit) : a, g = f_saved(4, limit);
  if (g > 1) a ^= f_saved(0, limit);
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g;
}
OWN long f_outer(int n, int limit) {
  long s = 0;
  for (int i = 0; i < n; i++) s += i & 1 ? f_memory(i, limit) : f_saved(i, limit);
  return s;
}
// What it has in registers must be there again when the exception has come through the others.
OWN long f_catch(int n, int limit) {
  long a = f_saved(1, 99), b = f_saved(2, 99), c = f_saved(3, 99), d = f_saved(4, 99), e = f_saved(5, 99), s = 0;
  for (int i = 0; i < n; i++) {
    try {
      s += f_outer(i, limit);
    } catch (int value) {
      s += value + a + 2 * b + 3 * c + 5 * d + 7 * e + i;
    }
  }
  return s + a + b + c + d + e;
}
}

// The functions f_… and main on the stack, innermost first; each new one is told once.
static char told[400];
static void tell_stack(int, siginfo_t *, void *) {
  void *frames[64];
  char line[400] = "";
  int count = backtrace(frames, 64);
  for (int i = 0; i < count; i++) {
    Dl_info info;
    // A return address may already be another function's.
    bool found = dladdr(i <= 2 ? frames[i] : (char *)frames[i] - 1, &info) && info.dli_sname != nullptr;
    if (found && (!strncmp(info.dli_sname, "f_", 2) || !strcmp(info.dli_sname, "main"))) strcat(strcat(line, info.dli_sname), " ");
  }
  if (strcmp(line, told)) puts(line);
  strcpy(told, line);
}
#define TRAP "orq $0x100, (%%rsp)"
#define NO_TRAP "andq $~0x100, (%%rsp)"
#define FLAGS(change) __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; " change "; popfq; lea 128(%%rsp), %%rsp" ::: "memory", "cc")

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "throw")) printf("%ld\n", f_catch(9, 5));
  if (!strcmp(what, "trap")) {
    struct sigaction action = {};
    action.sa_sigaction = tell_stack;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, nullptr);
    tell_stack(0, nullptr, nullptr);  // loads what backtrace() needs
    FLAGS(TRAP);
    long s = f_outer(6, 99);
    FLAGS(NO_TRAP);
    printf("%ld\n", s);
  }
  return (int)f_outer(5, 99) & 1;
}
SOURCE
cat >step.py <<'PYTHON'
# From f_outer's first instruction to its return: names of all frames, and the registers that belong
# to the callers as they were when each of them made its call.
import gdb
for command in ("set pagination off", "set confirm off", "break *f_outer"):
    gdb.execute(command, to_string=True)
gdb.execute("run", to_string=True)
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
def registers(frame):
    return [int(frame.read_register(r)) & (1 << 64) - 1 for r in KEPT]
def frames():
    frame, found = gdb.newest_frame(), []
    while frame is not None and len(found) < len(chain) + 2:
        found.append(frame)
        frame = frame.older()
    return found
chain = [("f_outer", registers(gdb.newest_frame())), ("main", None)]  # what the caller's had when it was called
steps = bad = 0
seen = {}
while len(chain) > 1 and steps < 20000:
    here = frames()
    right = [f.name() for f in here[:len(chain)]] == [name for name, _ in chain]
    right = right and all(registers(here[i + 1]) == chain[i][1] for i in range(len(chain) - 1))
    if not right:
        bad += 1
        print("BAD", hex(here[0].pc()), [f.name() for f in here], [name for name, _ in chain])
    seen.setdefault(chain[0][0], set()).add(here[0].pc())
    steps += 1
    gdb.execute("stepi", to_string=True)
    at = gdb.newest_frame()
    if at.pc() == int(gdb.parse_and_eval(f"(unsigned long)&{at.name()}")) and at.name().startswith("f_"):
        chain.insert(0, (at.name(), registers(at)))
    elif at.name() != chain[0][0]:
        chain.pop(0)
print("BAD", bad, "THEN", gdb.newest_frame().name(), *sorted(f"{n}" for n in seen))
PYTHON
notes() { objdump -d --no-show-raw-insn woven | sed -n 's/.*nop[lw] *0x706143\(..\)(%rax).*/\1/p' | sort -u | tr '\n' ' '; }
for compiler in g++ clang++; do
  for level in -O0 -O1 -O2; do
    build="$compiler $level"
    $build -g -rdynamic frames.cc -o plain -ldl
    "$CHORD" --paths $build -g -rdynamic frames.cc -o woven -ldl
    # rbx, rbp, r12 … r15 of a caller, except in text where nothing saves them; with optimisation also the frame.
    notes >out
    [ "$build" = "clang++ -O0" ] || grep -q '0[36c-f]' out || fail "$build: no number is in a register that belongs to a caller: $(cat out)"
    [ $level = -O0 ] || expect_contains "$build: in the frame" "10" out
    for what in throw trap; do
      ./plain $what >plain.out
      CHORD_OUT=counts.chord ./woven $what >woven.out
      cmp plain.out woven.out || fail "$build, $what: $(diff plain.out woven.out | head -5)"
    done
    expect_contains "$build: whole stacks" "f_leaf f_saved f_memory f_outer main" woven.out
    CHORD_OUT=counts.chord gdb -q -batch -x step.py ./woven >log 2>&1 || fail "gdb: $(cat log)"
    grep -q 'BAD 0 THEN main f_leaf f_memory f_outer f_saved' log || fail "$build: $(grep -E 'BAD|rror' log | head -5)"
  done
done

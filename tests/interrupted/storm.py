#!/usr/bin/env python3
"""Random programs in a storm of signals whose handlers jump: calls are exact all the same.

Each program is a random tree of functions that call each other in loops, set jump buffers and
jump, while several timers send signals. Their handlers jump to a random buffer that is set at
the moment, out of whatever they interrupted: the program, another handler, a jump. What is true
the program knows by arithmetic: it counts each call before it makes it, and from there until
the callee has begun the handlers do not jump. The report must have the same calls, and nothing in it
may contradict.

usage: storm.py CHORD [--seed=N] [--count=N] [--mode=OPTIONS] [--compiler=COMMAND]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

MODES = ("", "--paths", "--events --place=optimal", "--callsites", "--counters=delta", "--context", "--context --paths", "--coverage",
         "--metrics=tsc", "--paths --metrics=tsc", "--metrics=sim:l1d", "--context --metrics=sim:l1d", "--trace")
# What a report may say of things that are not looked at here, by option: inclusive sums (docs/metrics.md), and instructions of a function that
# a handler left between a flag and the jump that it belongs to (docs/coverage.md). Calls, or that they were made at all, are exact all the same.
ADMITTED = {"--metrics": "what calls took with all they called is not exact", "--coverage": "were cut off at a flag"}
COMPILERS = ("gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3", "clang -O0", "clang -O2")

HEAD = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#define FUNCTION __attribute__((noinline, noclone))
enum { functions = FUNCTIONS, most = 64 };
static sigjmp_buf buffers[most];
static volatile unsigned set;       /* buffers[0 .. set) are */
static volatile int starting;       /* a call is counted but not begun */
static volatile unsigned long made[functions];
static volatile unsigned long jumps, handled, sink;
static volatile int left;           /* calls, in this round */
static volatile unsigned state = SEED;
static unsigned next(void) {
  unsigned x = state;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return state = x;
}
/* Back to a buffer, which forgets those set later. */
#define JUMP() do { unsigned to_ = next() % set; jumps++; set = to_ + 1; siglongjmp(buffers[to_], 1); } while (0)
#define CALL(n, argument) do { if (left-- > 0) { starting = 1; made[n]++; f##n(argument); } } while (0)
"""

HANDLERS = r"""
FUNCTION void spin(unsigned rounds) {
  starting = 0;
  for (unsigned i = 0; i < rounds; i++) sink += i;
}
FUNCTION void on_signal(int number) {
  (void)number;
  handled++;
  if (starting || set == 0 || jumps >= MOST_JUMPS) return;
  if (next() % 4 == 0) return;
  JUMP();
}
static void start_timer(int number, long ns) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = number;
  timer_t timer;
  struct itimerspec spec = {{0, ns}, {0, ns}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &spec, NULL) != 0) exit(3);
}
static void take(int number, int blocks_others) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  if (blocks_others) sigaddset(&action.sa_mask, SIGUSR1), sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(number, &action, NULL);
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = self.random.randint(3, 7)

    def work(self, n):
        """One statement of function n."""
        kind = self.random.randrange(5)
        if kind == 0:
            return f"  for (unsigned i = 0; i < {self.random.randint(1, 300)}; i++) sink += i * argument;"
        if kind == 1:
            return f"  if (argument % {self.random.randint(2, 5)} == 0) sink ^= argument; else sink += {n};"
        if kind == 2 and n + 1 < self.functions:
            return f"  for (unsigned k = 0; k < {self.random.randint(1, 3)}; k++) CALL({n + 1}, argument + k);"
        if kind == 3 and n + 2 < self.functions:
            return f"  if (next() % 2) CALL({n + 2}, argument);"
        # The jump may let in a signal that waits.
        return f"  if (next() % 32 == 0 && set != 0 && jumps < MOST_JUMPS) {{ block(); JUMP(); }}"

    def function(self, n):
        lines = [f"FUNCTION void f{n}(unsigned argument) {{", "  starting = 0;"]
        if self.random.random() < 0.6:
            body = [self.work(n) for _ in range(self.random.randint(1, 3))]
            lines += ["  unsigned here = set;", "  if (here < most) {",
                      "  if (sigsetjmp(buffers[here], 1) == 0) {", "  set = here + 1;", *body, "  } else sink++;",
                      "  set = here;", "  }"]
        lines += [self.work(n) for _ in range(self.random.randint(1, 3))]
        return "\n".join(lines + ["}"])

    def text(self):
        signals = self.random.sample(["SIGUSR1", "SIGUSR2", "SIGALRM"], self.random.randint(1, 3))
        head = HEAD.replace("FUNCTIONS", str(self.functions)).replace("SEED", str(self.random.randint(1, 2**31)))
        parts = [head, f"enum {{ MOST_JUMPS = {self.random.randint(200, 3000)} }};", HANDLERS,
                 "static void block(void) {\n  sigset_t all;\n  sigfillset(&all);\n  sigprocmask(SIG_BLOCK, &all, NULL);\n"
                 "  raise(SIGUSR1);\n}"]
        parts += [f"FUNCTION void f{n}(unsigned argument);" for n in range(self.functions)]
        parts += [self.function(n) for n in reversed(range(self.functions))]
        takes = "".join(f"  take({s}, {self.random.randint(0, 1)});\n  start_timer({s}, {self.random.choice([30, 50, 80, 200])} * 1000L);\n"
                        for s in signals)
        if "SIGUSR1" not in signals:
            takes += "  take(SIGUSR1, 1);\n"
        parts.append("int main(void) {\n" + takes + """  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  do {
    if (sigsetjmp(buffers[0], 1) == 0) {
      set = 1;
      left = 100;
      CALL(0, next() % 8);
    }
    set = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begun.tv_sec < 1 && jumps < MOST_JUMPS);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int i = 0; i < functions; i++) printf("f%d %lu\\n", i, made[i]);
  printf("on_signal %lu\\njumps %lu\\n", handled, jumps);
  return 0;
}
""")
        return "\n".join(parts)


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def check(chord, seed, mode, compiler, folder):
    """None, or what is wrong; and the number of jumps."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    with open(os.path.join(folder, "storm.c"), "w") as file:
        file.write(Program(seed).text())
    built = run([chord, "--verify", *mode.split(), *compiler.split(), "-g", "storm.c", "-o", "storm"], folder)
    if built.returncode != 0:
        return f"does not build: {built.stderr}", 0
    ran = run(["./storm"], folder)
    if ran.returncode != 0:
        return f"ends with {ran.returncode}: {ran.stderr}", 0
    written = "storm.chordtrace" if mode.startswith("--trace") else "storm.chord"
    report = run([chord, "report", "--by=function", "--json", written], folder)
    admitted = [text for option, text in ADMITTED.items() if option in mode]
    warnings = [line for line in report.stderr.splitlines() if "warning" in line and not any(text in line for text in admitted)]
    if report.returncode != 0 or warnings:
        return report.stderr, 0
    said = json.loads(report.stdout)
    if mode == "--coverage" and said["exact"] != ("warning" not in report.stderr):
        return f"exact: {said['exact']}, and {report.stderr or 'no warning'}", 0
    true = dict(line.split() for line in ran.stdout.splitlines())
    jumps = int(true.pop("jumps"))
    field = "ran" if mode == "--coverage" else "calls"
    calls = {row["function"]: int(row[field]) for row in said["rows"]}
    most = 1 if mode == "--coverage" else sys.maxsize  # what ran, and no counts
    wrong = {f: (calls.get(f, 0), int(n)) for f, n in true.items() if calls.get(f, 0) != min(int(n), most)}
    # A handler may be interrupted before it has counted itself.
    handled = wrong.pop("on_signal", (0, 0))
    if handled[0] < min(handled[1], most):
        wrong["on_signal"] = handled
    return (f"function: (reported, true) {wrong}" if wrong else None), jumps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=26)
    parser.add_argument("--mode")
    parser.add_argument("--compiler")
    args = parser.parse_args()
    chord = os.path.abspath(args.chord)
    failed = total = 0
    for seed in range(args.seed, args.seed + args.count):
        choice = random.Random(seed * 7919)
        mode = args.mode if args.mode is not None else choice.choice(MODES)
        compiler = args.compiler or choice.choice(COMPILERS)
        with tempfile.TemporaryDirectory() as folder:
            problem, jumps = check(chord, seed, mode, compiler, folder)
        total += jumps
        if problem:
            failed += 1
            print(f"FAILED {mode} {compiler}: {problem}\n  repeat: {sys.argv[0]} {args.chord} --seed={seed} --count=1 "
                  f"--mode='{mode}' --compiler='{compiler}'", flush=True)
    print(f"{args.count} programs, {total} jumps, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

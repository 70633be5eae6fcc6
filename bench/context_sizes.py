#!/usr/bin/env python3
"""How calling contexts grow: depth of recursion, number of contexts, threads.

    bench/context_sizes.py [--most=1000000]

Each program counts in a tree whose size is known by arithmetic, which is checked; then what it took is printed, for sizes from a hundredth of the
largest on: the program's instructions do not change from one to the next but for their number, so time and memory for each should not, either.

  frames     two functions that call each other so many frames deep, folded onto two contexts
  kept       the same, and each of them calls a third twice, 2 K frames deep with --context=depth:K, so that all are kept apart; K is a
             twentieth of the others' sizes
  contexts   a tree of so many contexts, called three times over
  threads    1 to 32 threads, each with a tree of its own of 21,845 contexts

CPU time is user and system time of the program and of what reads its profile, beside that of a plain build. Memory is the most that was resident.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "oracle")]

import build as building  # noqa: E402

FRAMES = """
#include <stdlib.h>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int odd(int n);
NOINLINE int even(int n) { if (n == 0) return 1; int r = odd(n - 1); sink++; return r; }
NOINLINE int odd(int n) { if (n == 0) return 0; int r = even(n - 1); sink++; return r; }
static void *run(void *n) { sink = even((int)(long)n); return n; }
int main(int argc, char **argv) {
  pthread_attr_t large;
  pthread_t thread;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 1024l << 20);
  if (pthread_create(&thread, &large, run, (void *)atol(argv[argc - 1])) == 0) pthread_join(thread, 0);
  return 0;
}
"""
# The helper is not among its callers, so all of the chain would have to be looked at to know that it does not recurse.
KEPT = FRAMES.replace("NOINLINE int odd(int n);", "NOINLINE void helper(void) { sink++; } NOINLINE int odd(int n);")
for callee in ("odd", "even"):
    KEPT = KEPT.replace(f"int r = {callee}(n - 1);", f"helper(); int r = {callee}(n - 1); helper();")
# Each function calls the next from four places: 1 + 4 + 16 + ... contexts.
TREE = """
#include <stdlib.h>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static __thread volatile int sink;
NOINLINE void f0(void) { sink++; }
#define LEVEL(f, g) NOINLINE void f(void) { g(); g(); g(); g(); sink++; }
LEVEL(f1, f0) LEVEL(f2, f1) LEVEL(f3, f2) LEVEL(f4, f3) LEVEL(f5, f4) LEVEL(f6, f5) LEVEL(f7, f6) LEVEL(f8, f7) LEVEL(f9, f8) LEVEL(f10, f9)
static void (*const level[])(void) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10};
NOINLINE void *run(void *depth) { for (volatile int i = 0; i < 3; i++) level[(long)depth](); return depth; }
int main(int argc, char **argv) {
  pthread_t threads[64];
  long depth = atol(argv[1]), count = atol(argv[2]);
  for (long i = 0; i < count; i++) pthread_create(threads + i, 0, run, (void *)depth);
  for (long i = 0; i < count; i++) pthread_join(threads[i], 0);
  return argc != 3;
}
"""


# What a process took, without what its parent held when it began.
LAUNCHER = """
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rusage used;
  int status;
  pid_t child = fork();
  if (child == 0 && argc > 1) execv(argv[1], argv + 1);
  if (wait4(child, &status, 0, &used) < 0 || status != 0) return 1;
  fprintf(stderr, "%ld.%06ld %ld\\n", used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000000,
          (used.ru_utime.tv_usec + used.ru_stime.tv_usec) % 1000000, used.ru_maxrss);
  return 0;
}
"""


def measured(command, folder, **options):
    """Seconds, most memory in bytes, output."""
    launcher = folder.parent / "launcher"
    if not launcher.exists():
        subprocess.run(["gcc", "-O1", "-xc", "-", "-o", launcher], input=LAUNCHER, text=True, check=True)
    result = subprocess.run([launcher, *command], cwd=folder, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise SystemExit(f"{command}: {result.stderr}")
    seconds, kilobytes = result.stderr.splitlines()[-1].split()
    return float(seconds), int(kilobytes) * 1024, result.stdout


class Program:
    def __init__(self, name, source, mode, folder):
        self.name, self.folder = name, Path(folder) / name
        self.folder.mkdir()
        (self.folder / "program.c").write_text(source)
        self.build([], "plain")
        self.build([building.chord(), mode], "program")

    def build(self, prefix, output):
        subprocess.run([*prefix, "gcc", "-O1", "-pthread", "program.c", "-o", output], cwd=self.folder, check=True)

    def measure(self, arguments, size, expected):
        """`expected`: calls and contexts of all functions."""
        profile = self.folder / "program.chord"
        profile.unlink(missing_ok=True)
        plain = measured(["./plain", *arguments], self.folder)
        woven = measured(["./program", *arguments], self.folder, env=os.environ | {"CHORD_CONTEXT_MEMORY": "4096"})
        reading = measured([building.chord(), "contexts", profile, "--by-thread", "--json"], self.folder)
        rows = json.loads(reading[2])["rows"]
        got = (sum(r["calls"] for r in rows), len(rows))
        if got != expected:
            raise SystemExit(f"{self.name} {arguments}: calls and contexts {got}, not {expected}")
        study = json.loads(measured([building.chord(), "study", "contexts", profile, "--json"], self.folder)[2])["rows"][0]
        print(f"{self.name:9} {size:>9,} {got[1]:>9,} {plain[0]:8.2f} {woven[0]:8.2f} {1e9 * woven[0] / got[0]:9.0f} {plain[1] / 1e6:9.1f} {woven[1] / 1e6:9.1f} "
              f"{study['record_bytes'] / got[1]:7.0f} {profile.stat().st_size / 1e6:10.1f} {reading[0]:8.2f} {reading[1] / 1e6:9.1f}", flush=True)


MOST_KEPT = 65535  # the largest K of --context=depth:K


def sizes(most):
    return [max(1, most // d) for d in (100, 10, 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1000000, help="frames, and at least so many contexts (default: 1000000)")
    options = parser.parse_args()
    print(f"{'':9} {'size':>9} {'contexts':>9} {'plain s':>8} {'woven s':>8} {'ns/call':>9} {'plain MB':>9} {'woven MB':>9} {'B/rec.':>7} {'profile MB':>10} {'read s':>8} {'MB':>9}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        frames = Program("frames", FRAMES, "--context", folder)
        for n in sizes(options.most):
            frames.measure([str(n)], n, (n + 3, 4))
        for k in sizes(min(options.most // 20, MOST_KEPT)):
            kept = Program(f"kept{k}", KEPT, f"--context=depth:{k}", folder)
            kept.measure([str(2 * k)], k, (6 * k + 3, 6 * k + 2))
        tree = Program("contexts", TREE, "--context", folder)
        depth = next((d for d in range(11) if (4 ** (d + 1) - 1) // 3 >= options.most), 10)
        for d in range(max(0, depth - 3), depth + 1):
            nodes = (4 ** (d + 1) - 1) // 3
            tree.measure([str(d), "1"], nodes, (3 * nodes + 2, nodes + 2))
        threads = Program("threads", TREE, "--context", folder)
        for n in (1, 8, 32):
            threads.measure(["7", str(n)], n, (n * (3 * 21845 + 1) + 1, n * 21846 + 1))
    print(f"{time.monotonic() - began:.0f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What metrics cost, and what of it no probe could avoid.

    bench/metrics.py [--programs=lua,bzip2] [--repeats=5] [--seconds=0.5]

Of `tsc`: every call is read twice and every path once more, and a reading takes what the processor takes for it, which is measured first. So there is
a floor under any build that tells each activation's or each path's own time: plain time + readings x that. The rest is ours.
Of `sim:l1d`: beside cachegrind on the same input. Times are of the processor, medians of pairs run one after the other. Last come the geometric means over the programs, of what was
measured and of the floors."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import programs  # noqa: E402  (puts the oracle's folder on the path)
import build as building  # noqa: E402
import configurations  # noqa: E402
import fetch as fetching  # noqa: E402
import measure  # noqa: E402

CLOCK = r"""
#include <stdio.h>
#include <time.h>
int main(void) {
  double least = 1e9;
  for (int k = 0; k < 20; k++) {
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int i = 0; i < 1000000; i++) __asm__ volatile("rdtsc" : : : "rax", "rdx");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double each = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 1e6;
    if (each < least) least = each;
  }
  printf("%.2f\n", least);
  return 0;
}
"""
OF_CLOCK = ["chord tsc", "chord paths tsc", "chord contexts tsc"]
MODEL = configurations.Configuration("chord contexts sim:l1d", "gcc", chord=["--context", "--metrics=sim:l1d"], reference="plain")


def reading_ns(folder):
    """Nanoseconds of one reading of the clock on this machine, the least of twenty loops."""
    source = folder / "clock.c"
    source.write_text(CLOCK)
    subprocess.run(["gcc", "-O2", source, "-o", folder / "clock"], check=True)
    return float(subprocess.run([folder / "clock"], check=True, capture_output=True, text=True).stdout)


def readings(binary, runs, paths):
    """How often a run of all inputs reads the clock: activations begin, and end or end a path."""
    measure.cpu_seconds(binary, runs)
    profile = next(binary.parent.glob("*.chord"))

    def rows(*command):
        return json.loads(subprocess.run([building.chord(), *command, profile, "--json"], check=True, capture_output=True, text=True).stdout)["rows"]

    functions = [r for r in rows("report", "--by=function") if "tsc" in r["metrics"]]
    calls = sum(r["calls"] for r in functions)
    if not paths:
        return 2 * calls
    ended = [r for r in rows("paths") if "tsc" in r["metrics"]]
    by_path = {r["function"] for r in ended}
    return calls + sum(r["count"] for r in ended) + sum(r["calls"] for r in functions if r["function"] not in by_path)


def cachegrind_seconds(binary, runs):
    total = 0.0
    for run in runs:
        before = measure.os.times()
        subprocess.run(["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={binary.parent / 'cachegrind.out'}", f"./{binary.name}", *run.arguments],
                       cwd=binary.parent, env=measure.environment(binary.parent), input=run.stdin, capture_output=True, check=False)
        after = measure.os.times()
        total += after.children_user + after.children_system - before.children_user - before.children_system
    return total


def bench(real, folder, options, each_ns):
    """{configuration: (ratio, floor or cachegrind's ratio)}"""
    found = {}
    plain = configurations.build(real, configurations.ALL["plain"], folder, None)
    size = measure.calibrated_size(plain, real.runs, options.seconds)
    runs = real.runs(size)
    base = min(measure.cpu_seconds(plain, runs) for _ in range(options.repeats))
    for name in OF_CLOCK:
        c = configurations.ALL[name]
        binary = configurations.build(real, c, folder, None)
        ratio = statistics.median(measure.paired(binary, plain, runs, options.repeats))
        count = readings(binary, runs, c.counts_paths)
        floor = 1 + count * each_ns * 1e-9 / base
        ours = (ratio - floor) * base * 1e9 / count
        found[name] = ratio, floor
        print(f"{real.name:8} {name:24} {ratio:6.2f}  floor {floor:6.2f}: {count:,} readings of {each_ns:.1f} ns; ours {ours:+.1f} ns for each", flush=True)
    small = real.runs(max(1, size // 8))
    binary = configurations.build(real, MODEL, folder, None)
    ratio = statistics.median(measure.paired(binary, plain, small, options.repeats))
    cachegrind = cachegrind_seconds(plain, small) / min(measure.cpu_seconds(plain, small) for _ in range(3))
    print(f"{real.name:8} {MODEL.name:24} {ratio:6.2f}  cachegrind {cachegrind:6.2f}", flush=True)
    found[MODEL.name] = ratio, cachegrind
    return found


def print_means(found):
    if len(found) < 2:
        return
    for name in found[0]:
        ratio, other = (measure.geometric_mean([f[name][k] for f in found]) for k in (0, 1))
        print(f"{'mean':8} {name:24} {ratio:6.2f}  {'cachegrind' if name == MODEL.name else 'floor'} {other:6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="lua,bzip2")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    cache = fetching.cache_folder(ROOT)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        each_ns = reading_ns(folder)
        print_means([bench(getattr(programs, name)(cache), folder / name, options, each_ns) for name in options.programs.split(",")])


if __name__ == "__main__":
    main()

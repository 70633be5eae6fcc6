#!/usr/bin/env python3
"""What chord adds to a process that does nothing, and to compiling a file that has next to nothing in it.

    bench/startup.py [--repeats=200]

Plain and woven: system calls (strace, children included), page faults, instructions (callgrind, children included) and wall-clock time (of alternating
runs, the median), and how much of each the woven one has over the plain one's. Only the times depend on what else the machine does.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

CHORD = os.path.realpath(os.environ.get("CHORD") or Path(__file__).resolve().parent.parent / "build" / "bin" / "chord")


def system_calls(command, folder):
    table = subprocess.run(["strace", "-f", "-c", "-o", "calls", *command], cwd=folder, check=True) and (folder / "calls").read_text()
    return int(re.search(r"^100\.00\s+\S+\s+(?:\S+\s+)?(\d+)(?:\s+\d+)? total$", table, re.M).group(1))


def instructions(command, folder):
    for old in folder.glob("callgrind.*"):
        old.unlink()
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=callgrind.%p", *command], cwd=folder, check=True,
                   capture_output=True)
    totals = (re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M) for out in folder.glob("callgrind.*"))
    return sum(int(total.group(1)) for total in totals if total)


def page_faults(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    subprocess.run(command, cwd=folder, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before


def milliseconds(command, folder):
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return 1000 * (time.perf_counter() - begin)


def compare(what, plain, woven, folder, repeats):
    for command in (plain, woven):  # profiles and caches are there then
        for _ in range(3):
            subprocess.run(command, cwd=folder, check=True)
    figures = {}
    for name, measure in (("system calls", system_calls), ("page faults", page_faults), ("instructions", instructions)):
        figures[name] = measure(plain, folder), measure(woven, folder)
    times = [(milliseconds(plain, folder), milliseconds(woven, folder)) for _ in range(repeats)]
    figures["milliseconds"] = tuple(statistics.median(one) for one in zip(*times))
    for name, (base, ours) in figures.items():
        shown = [f"{number:,.2f}" if name == "milliseconds" else f"{number:,}" for number in (base, ours)]
        print(f"{what:<16} {name:<13} {shown[0]:>12} {shown[1]:>12} {ours / base:7.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty.c").write_text("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-O2", "empty.c", "-o", "plain"], cwd=folder, check=True)
        subprocess.run([CHORD, "gcc", "-O2", "empty.c", "-o", "woven"], cwd=folder, check=True)
        print(f"{'':<16} {'':<13} {'plain':>12} {'woven':>12}   ratio")
        compare("an empty run", ["./plain"], ["./woven"], folder, options.repeats)
        compile_it = ["gcc", "-O2", "-c", "empty.c", "-o", "empty.o"]
        compare("a tiny compile", compile_it, [CHORD, *compile_it], folder, max(options.repeats // 10, 5))


if __name__ == "__main__":
    main()

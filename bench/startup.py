#!/usr/bin/env python3
"""What chord adds to a process that does nothing, and to compiling a file that has next to nothing in it.

    bench/startup.py [--repeats=200]

Plain and woven: system calls (strace, children included), page faults, instructions (callgrind, children included), wall-clock and processor time (of
alternating runs, the tenth of the way from the shortest), and how much of each the woven one has over the plain one's. Only the times depend on what else the
machine does.
"""

import argparse
import os
import re
import resource
import shutil
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


# Until it has been waited for; and what the processor did for it. Without what Python does to start a command.
def milliseconds(command, path):
    begin = time.perf_counter()
    _, status, usage = os.wait4(os.posix_spawn(path, command, os.environ), 0)
    wall = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"{command}: status {status}")
    return 1000 * wall, 1000 * (usage.ru_utime + usage.ru_stime)


def compare(what, plain, woven, folder, repeats):
    for command in (plain, woven):  # profiles and caches are there then
        for _ in range(3):
            subprocess.run(command, cwd=folder, check=True)
    figures = {}
    for name, measure in (("system calls", system_calls), ("page faults", page_faults), ("instructions", instructions)):
        figures[name] = measure(plain, folder), measure(woven, folder)
    paths = [shutil.which(command[0]) for command in (plain, woven)]
    os.chdir(folder)
    times = [(milliseconds(plain, paths[0]), milliseconds(woven, paths[1])) for _ in range(repeats)]
    for which, name in enumerate(("ms", "ms processor")):
        columns = (sorted(one[which] for one in column) for column in zip(*times))
        figures[name] = tuple(column[len(column) // 10] for column in columns)
    for name, (base, ours) in figures.items():
        shown = [f"{number:,.3f}" if name.startswith("ms") else f"{number:,}" for number in (base, ours)]
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
        compare("an empty run", [str(folder / "plain")], [str(folder / "woven")], folder, options.repeats)
        compile_it = ["gcc", "-O2", "-c", "empty.c", "-o", "empty.o"]
        compare("a tiny compile", compile_it, [CHORD, *compile_it], folder, max(options.repeats // 10, 5))


if __name__ == "__main__":
    main()

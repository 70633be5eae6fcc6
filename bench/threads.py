#!/usr/bin/env python3
"""What counting costs in threads: many threads that run the same counted loop, beside one.

    bench/threads.py [--threads=32] [--rounds=10000000] [--repeats=5] [--json=FILE]

The measure is CPU time per thread over that of the plain program, with one thread and with
many; their quotient says what threads add. Counters that threads share cost more the more
threads there are (and, without atomic updates, lose counts: the column `lost`, of the loop's
rounds). The sum of chord's counts is checked and must be exact.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def chord():
    return os.environ.get("CHORD") or str(HERE.parent / "build" / "bin" / "chord")


# name: compiler, what is in front of it, its flags
CONFIGURATIONS = {
    "plain gcc": ("gcc", [], []),
    "chord gcc": ("gcc", ["chord"], []),
    "chord gcc, atomic": ("gcc", ["chord", "--counters=atomic"], []),
    "chord gcc, durable": ("gcc", ["chord", "--durable"], []),
    "gcov": ("gcc", [], ["--coverage"]),
    "gcov, atomic": ("gcc", [], ["--coverage", "-fprofile-update=atomic"]),
    "plain clang": ("clang", [], []),
    "chord clang": ("clang", ["chord"], []),
    "clang profile": ("clang", [], ["-fprofile-instr-generate"]),
    "clang profile, atomic": ("clang", [], ["-fprofile-instr-generate", "-fprofile-update=atomic"]),
}


def build(name, folder):
    compiler, prefix, flags = CONFIGURATIONS[name]
    target = folder / re.sub(r"\W+", "_", name)
    target.mkdir()
    prefix = [chord() if word == "chord" else word for word in prefix]
    command = [*prefix, compiler, "-O2", "-g", "-pthread", *flags, str(HERE / "threads.c"), "-o", "threads"]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{name} cannot be built: {done.stderr.strip()[:200]}", file=sys.stderr)
        return None
    return target


def clean(folder):
    for pattern in ("*.chord", "*.gcda", "*.profraw", "*.gcov"):
        for path in folder.glob(pattern):
            path.unlink()


def run(folder, threads, rounds):
    """CPU seconds per thread."""
    clean(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["./threads", str(threads), str(rounds)], cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / threads


def calls_of_mix(name, folder):
    """How often the tool says `mix` was called in the last run."""
    if "chord" in name:
        done = subprocess.run([chord(), "report", "--by=function", "--json"], cwd=folder, capture_output=True, text=True, check=True)
        if done.stderr:
            raise SystemExit(f"{name}: {done.stderr}")
        return next(r["calls"] for r in json.loads(done.stdout)["rows"] if r["function"] == "mix")
    if name.startswith("gcov"):
        data = next(folder.glob("*.gcda"))
        done = subprocess.run(["gcov", "-t", "-b", data.name], cwd=folder, capture_output=True, text=True, check=True)
        return int(re.search(r"^function mix called (\d+)", done.stdout, re.M).group(1))
    if name.startswith("clang profile"):
        subprocess.run(["llvm-profdata", "merge", "-o", "p.profdata", "default.profraw"], cwd=folder, check=True)
        done = subprocess.run(["llvm-profdata", "show", "--counts", "--function=mix", "p.profdata"], cwd=folder,
                              capture_output=True, text=True, check=True)
        return int(re.search(r"Function count: (\d+)", done.stdout).group(1))
    return None


def measure(options, folders):
    """Seconds per thread by configuration and number of threads; rounds are interleaved, so
    that what disturbs the machine disturbs all."""
    times = {name: {1: [], options.threads: []} for name in folders}
    lost = {}
    for _ in range(options.repeats):
        for name, folder in folders.items():
            for threads in (1, options.threads):
                times[name][threads].append(run(folder, threads, options.rounds))
            counted = calls_of_mix(name, folder)
            if counted is not None:
                lost[name] = 1 - counted / (options.threads * options.rounds)
                if "chord" in name and lost[name] != 0:
                    raise SystemExit(f"{name}: {counted} calls counted, not {options.threads * options.rounds}")
    return times, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = {name: build(name, Path(scratch)) for name in CONFIGURATIONS}
        folders = {name: folder for name, folder in folders.items() if folder}
        times, lost = measure(options, folders)
    rows = []
    print(f"{'':24}{'1 thread':>10}{f'{options.threads} threads':>12}{'quotient':>10}{'lost':>9}   median of {options.repeats}")
    for name, (compiler, _, _) in CONFIGURATIONS.items():
        if name not in times:
            continue
        plain = times[f"plain {compiler}"]
        one, many = (statistics.median(times[name][n]) / statistics.median(plain[n]) for n in (1, options.threads))
        rows.append({"configuration": name, "one": one, "many": many, "quotient": many / one, "lost": lost.get(name),
                     "seconds": {str(n): times[name][n] for n in times[name]}})
        share = "" if lost.get(name) is None else f"{lost[name]:9.1%}"
        print(f"{name:24}{one:10.3f}{many:12.3f}{many / one:10.3f}{share}")
    if options.json:
        facts = {"threads": options.threads, "rounds": options.rounds, "processors": os.cpu_count(), "rows": rows}
        Path(options.json).write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()

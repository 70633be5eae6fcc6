#!/usr/bin/env python3
"""Traces of random C programs, made by csmith from consecutive seeds: a traced program prints what the counting one prints, and its trace has the same
counts of every instruction, edge and call. The seed chooses compiler, optimisation level and kind of executable as well.

usage: random_programs.py CHORD [--count=N] [--seed=N]
"""
import argparse
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
import encodings_of_traces  # noqa: E402
from variants import Failure, checked, environment  # noqa: E402

CHOICES = list(itertools.product((["-no-pie"], ["-fPIC", "-pie"], ["-static"], ["-fPIE", "-pie"]), ("-O2", "-O0", "-O3", "-O1", "-Os"), ("gcc", "clang")))
STRIDE = 17
SECONDS = 2
INCLUDE = next(iter(sorted(glob.glob("/usr/include/csmith*"))), "/usr/include/csmith")


def outcome(program, folder):
    """What it prints and ends with; None if that takes too long, or its trace would."""
    try:
        done = subprocess.run([program], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, env=environment(CHORD_TRACE_LIMIT="200M"), check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout, done.returncode


def rows(chord, profile, by, folder):
    out = json.loads(checked([chord, "report", profile, f"--by={by}", "--json"], cwd=folder).stdout)["rows"]
    for row in out:
        row.pop("module", None)
        row.pop("share", None)
    return sorted(json.dumps(row, sort_keys=True) for row in out)


def check(chord, seed, folder):
    kind, level, compiler = CHOICES[seed * STRIDE % len(CHOICES)]
    source = os.path.join(folder, "random.c")
    checked(["csmith", "--seed", str(seed), "--max-funcs", "6", "--output", source], cwd=folder)
    build = [compiler, level, *kind, "-w", f"-I{INCLUDE}", source]
    for name, mode in (("traced", ["--verify", encodings_of_traces.option(str(seed))]), ("counted", [])):
        checked([chord, *mode, *build, "-o", os.path.join(folder, name)])
    traced, counted = (outcome(os.path.join(folder, name), folder) for name in ("traced", "counted"))
    what = f"{seed} {compiler} {level} {kind[0]}"
    if traced is None or counted is None:
        return f"{what}: takes too long"
    if traced != counted:
        raise Failure(f"{what}: behaves differently: {traced} {counted}")
    for by in ("function", "instruction", "edge", "call"):
        one, other = (rows(chord, os.path.join(folder, profile), by, folder) for profile in ("traced.chordtrace", "counted.chord"))
        if one != other:
            raise Failure(f"{what}: --by={by}: {next((pair for pair in zip(one, other) if pair[0] != pair[1]), (len(one), len(other)))}")
    return f"{what}: {len(one)} calls alike"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chord")
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chord = os.path.abspath(options.chord)
    alike = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = check(chord, seed, folder)
            except Failure as failure:
                sys.exit(str(failure))
            alike += said.endswith("alike")
            print(said, flush=True)
    if alike == 0:
        sys.exit("no program was compared")


if __name__ == "__main__":
    main()

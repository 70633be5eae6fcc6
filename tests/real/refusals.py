#!/usr/bin/env python3
"""What the proof refuses of real programs: nothing, if planner and proof are right.

    refusals.py PROVE [NAME…] [--compilers=gcc,clang] [--levels=-O0,-O2,-O3] [--modes=default,paths,…] [--seconds=N]

Compiles every source of the programs (programs.py) to assembly, weaves it in each mode and proves it with PROVE (build/tests/prove); nothing is run.
Prints each refusal, and at the end how much was proved; fails if there was a refusal, or nothing to prove. After --seconds no other source is begun,
and what was not looked at is said.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import fetch as fetching  # noqa: E402
import programs  # noqa: E402

# The smallest first.
DEFAULT = ["bzip2", "zlib", "minisat", "lua", "tcc", "qhull", "lapack", "yaml", "sqlite"]
MODES = "default,paths,contexts,contexts-paths,trace,events,coverage,models"


def refused(prove, modes, assembly):
    """How many weavings were proved, and what was refused."""
    done = subprocess.run([prove, modes, assembly], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode not in (0, 1) or not lines:
        return 0, [f"{assembly}: exit {done.returncode}: {done.stdout}{done.stderr}"]
    return int(lines[-1].split()[0]), lines[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prove")
    parser.add_argument("names", nargs="*", default=DEFAULT)
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--levels", default="-O0,-O2,-O3")
    parser.add_argument("--modes", default=MODES)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    cache = fetching.cache_folder(HERE.parent.parent)
    end = time.monotonic() + args.seconds
    proved = refusals = left_out = 0
    for name in args.names:
        program = programs.ALL[name](cache)
        for compiler in args.compilers.split(","):
            if not program.allows(compiler):
                continue
            for level in args.levels.split(","):
                with tempfile.TemporaryDirectory() as folder:
                    case = program.case(compiler, [level])
                    for index, source in enumerate(program.sources):
                        if time.monotonic() > end:
                            left_out += 1
                            continue
                        assembly = programs.building.to_assembly(case, source, Path(folder), index)
                        count, faults = refused(os.path.abspath(args.prove), args.modes, assembly)
                        proved += count
                        refusals += len(faults)
                        for fault in faults:
                            print(f"{name} {compiler} {level} {source.name}: {fault}", flush=True)
                print(f"{name} {compiler} {level}: {proved} weavings so far, {refusals} refusals", flush=True)
    print(f"{proved} weavings proved, {refusals} refusals, {left_out} sources not looked at")
    return 1 if refusals or not proved else 0


if __name__ == "__main__":
    sys.exit(main())

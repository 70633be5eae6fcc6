#!/usr/bin/env python3
"""What counting costs in loops of a few instructions (tight_loops.c).

    bench/tight_loops.py [--repeats=15] [--seconds=0.5] [--instructions]

Pairs with the plain build, as bench/run.py has them; `control` is the plain program against
itself. With --instructions valgrind counts, on small inputs, and nothing is timed.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "oracle")]

import build as building  # noqa: E402
import measure  # noqa: E402

LOOPS = ("counted", "vectorised", "branching", "nested", "crowded")
PROFILE = ["-fprofile-generate"]
BUILDS = {
    # name: (compiler, chord's options or None, flags, reference)
    "plain": ("gcc", None, [], None),
    "clang plain": ("clang", None, [], None),
    "control": ("gcc", None, [], "plain"),
    "gcov": ("gcc", None, ["--coverage"], "plain"),
    "gcc PGO": ("gcc", None, [*PROFILE, "-fprofile-update=single"], "plain"),
    "clang PGO": ("clang", None, PROFILE, "clang plain"),
    "chord memory": ("gcc", ["--loop-counters=memory"], [], "plain"),
    "chord registers": ("gcc", ["--loop-counters=registers"], [], "plain"),
    "chord": ("gcc", [], [], "plain"),
    "chord clang": ("clang", [], [], "clang plain"),
}


@dataclass
class Run:
    arguments: list
    stdin: bytes = b""


def build_all(folder, extra):
    binaries = {}
    for name, (compiler, options, flags, _) in BUILDS.items():
        target = folder / name.replace(" ", "-")
        target.mkdir()
        prefix = [] if options is None else [building.chord(), *options]
        command = [*prefix, compiler, "-O3", *extra, *flags, str(HERE / "tight_loops.c"), "-o", "prog"]
        subprocess.run([str(c) for c in command], cwd=target, check=True)
        binaries[name] = target / "prog"
    return binaries


def inputs(loop):
    return lambda size: [Run([loop, str(size)])]


def report(loop, name, text):
    print(f"{loop:11} {name:15} {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15, help="pairs per build")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of one plain run")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--flags", default="", help="further compiler flags, for instance -mavx2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binaries = build_all(Path(folder), options.flags.split())
        for loop in LOOPS:
            size = 1 if options.instructions else measure.calibrated_size(binaries["plain"], inputs(loop), options.seconds)
            counted = {}
            for name, (_, _, _, reference) in BUILDS.items():
                if options.instructions:
                    counted[name] = measure.instructions(binaries[name], inputs(loop)(1))
                    if reference:
                        report(loop, name, f"instructions {counted[name] / counted[reference]:.4f}")
                elif reference:
                    ratios = measure.paired(binaries[name], binaries[reference], inputs(loop)(size), options.repeats)
                    result = measure.summarise(ratios)
                    report(loop, name, f"time {result.median:.3f}  ({result.low:.3f} to {result.high:.3f})")


if __name__ == "__main__":
    main()

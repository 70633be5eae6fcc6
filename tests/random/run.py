#!/usr/bin/env python3
"""Random C programs, made by csmith from consecutive seeds: the woven program prints
what the plain one prints, and every instruction has callgrind's count.

    tests/random/run.py --count=200 --seed=1
    tests/random/run.py --seed=1234 --count=1 --keep      that one program again

The seed chooses compiler, optimisation level and kind of executable as well.
"""

import argparse
import itertools
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))

import build as building  # noqa: E402
import pool as pooling  # noqa: E402

LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
KINDS = [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fPIC", "-pie"]]
COMPILERS = ["gcc", "clang", "gcc", "clang-19"]
# Programs of moderate size; some with what csmith leaves out by default.
SHAPES = [[], ["--inline-function"], ["--max-funcs", "4", "--max-block-depth", "4"], ["--float"],
          ["--max-funcs", "6", "--max-struct-fields", "20"]]
# A stride without common divisor: any few hundred seeds in a row meet every choice, well mixed.
CHOICES = [(c, l, k, s) for s, k, l, c in itertools.product(SHAPES, KINDS, LEVELS, COMPILERS)]
STRIDE = 67
INCLUDE = next((str(p) for p in sorted(Path("/usr/include").glob("csmith*")) if p.is_dir()), "/usr/include/csmith")


def make(seed, folder):
    """The program; or nothing, if csmith does not come to an end with that seed."""
    compiler, level, kind, shape = CHOICES[seed * STRIDE % len(CHOICES)]
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"r{seed}.c"
    try:
        made = subprocess.run(["csmith", "--seed", str(seed), *shape, "--output", source.name], cwd=folder,
                              capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        print(f"slow {seed}: csmith itself takes more than a minute", flush=True)
        return None
    if made.returncode != 0:
        raise SystemExit(f"csmith --seed {seed} failed: {made.stderr}")
    name = f"{seed} {compiler} {level} {kind[0]}"
    return building.Program(name, [source], compiler, [level, *kind, "-w", f"-I{INCLUDE}"], ["-lm"], seconds=0.4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pooling.add_options(parser)
    parser.add_argument("--count", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first")
    options = parser.parse_args()
    pool = pooling.Pool(options, "random", "tests/random/run.py --count=1 --keep --seed=<number of> {}")
    seeds = range(options.seed, options.seed + options.count)
    programs = (make(seed, pool.work / "sources") for seed in seeds)
    return pool.run(program for program in programs if program is not None)


if __name__ == "__main__":
    sys.exit(main())

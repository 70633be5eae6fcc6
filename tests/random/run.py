#!/usr/bin/env python3
"""Random C programs, made by csmith from consecutive seeds: the woven program prints
what the plain one prints, and every instruction has callgrind's count.

    tests/random/run.py --count=200 --seed=1
    tests/random/run.py --seed=1234 --count=1 --keep      that one program again

The seed chooses compiler, optimisation level and kind of executable as well. Programs that are
undefined, as far as plain builds tell, are left out: what they do says nothing about weaving.
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
SECONDS = 0.4  # programs that take longer are left alone
INCLUDE = next((str(p) for p in sorted(Path("/usr/include").glob("csmith*")) if p.is_dir()), "/usr/include/csmith")


def outcome(command, source, binary):
    """What the plain program prints and ends with; None if that takes too long."""
    subprocess.run([*command, source, "-o", binary, "-lm"], check=True)
    try:
        done = subprocess.run([binary], cwd=binary.parent, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=10 * SECONDS, check=False)
        return done.stdout, done.returncode
    except subprocess.TimeoutExpired:
        return None
    finally:
        binary.unlink()


def undefined(program, folder):
    """Why nothing can be expected of the program, or None."""
    source, binary = program.sources[0], folder / f"{program.sources[0].stem}.plain"
    plain = ["-O0", "-w", f"-I{INCLUDE}"]
    results = [outcome([program.compiler, *program.flags], source, binary)]
    if results[0] is None:
        return None  # the pool finds it too slow
    results += [outcome([c, *plain], source, binary) for c in ("gcc", "clang")]
    for result in results:
        if result is not None and result[1] < 0:
            return f"the plain program ends by signal {-result[1]}"
    known = {result for result in results if result is not None}
    return "plain builds disagree about what it prints" if len(known) > 1 else None


def make(seed, pool):
    """The program, if it is any good."""
    folder = pool.work / "sources"
    compiler, level, kind, shape = CHOICES[seed * STRIDE % len(CHOICES)]
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"r{seed}.c"
    try:
        made = subprocess.run(["csmith", "--seed", str(seed), *shape, "--output", source.name], cwd=folder,
                              capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pool.leave_out(seed, "csmith itself takes more than a minute")
        return None
    if made.returncode != 0:
        raise SystemExit(f"csmith --seed {seed} failed: {made.stderr}")
    name = f"{seed} {compiler} {level} {kind[0]}"
    program = building.Program(name, [source], compiler, [level, *kind, "-w", f"-I{INCLUDE}"], ["-lm"], seconds=SECONDS)
    why = undefined(program, folder)
    if why is not None:
        pool.leave_out(name, why)
        return None
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pooling.add_options(parser)
    parser.add_argument("--count", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first")
    options = parser.parse_args()
    pool = pooling.Pool(options, "random", "tests/random/run.py --count=1 --keep --seed=<number of> {}")
    seeds = range(options.seed, options.seed + options.count)
    programs = (make(seed, pool) for seed in seeds)
    return pool.run(program for program in programs if program is not None)


if __name__ == "__main__":
    sys.exit(main())

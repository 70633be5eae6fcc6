#!/usr/bin/env python3
"""Path counts of real programs against single-stepping, on inputs of a few thousand steps.

Run by hand: it takes minutes. The programs are those of tests/real, and so is the folder
that their sources are kept in (CHORD_CACHE).

usage: real.py CHORD [NAME...] [--compilers=gcc,clang] [--levels=-O0,-O2,-O3]
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import programs  # noqa: E402  (puts the oracle's folder on the path)
import build as building  # noqa: E402
import fetch as fetching  # noqa: E402
import run as stepping  # noqa: E402
from variants import Failure, checked, environment, run  # noqa: E402

SCRIPT = """
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = word end
table.sort(words)
print(table.concat(words, " "), #words, pcall(error, "thrown"))
"""
SQL = "create table t(a, b); insert into t values(3, 'c'), (1, 'a'), (2, 'b'); select b, a * 2 from t where a > 1 order by b;"
TEXT = programs.sample_text(400)
RUNS = {  # arguments and input
    "lua": (["-e", SCRIPT], b""),
    "bzip2": (["-c"], TEXT),
    "zlib": (["-6"], TEXT),
    "sqlite": ([":memory:"], SQL.encode()),
    "minisat": (["-verb=0"], programs.sample_clauses(20, 1)),
}


def check(chord, real, compiler, level, folder):
    arguments, given = RUNS[real.name]
    driver = building.DRIVERS[compiler]["c++" if any(s.suffix != ".c" for s in real.sources) else "c"]
    plain, woven = (os.path.join(folder, name) for name in ("plain", "woven"))
    command = [driver, level, "-w", *real.flags, *map(str, real.sources), "-no-pie", *real.link]
    checked([*command, *building.SAME_ASSEMBLER.get(compiler, []), "-static", "-o", plain])
    checked([chord, "--paths", *command, "-o", woven])
    # Under one name: programs may do something with it (lua interns it).
    first, second = (run([plain, *arguments], executable=program, cwd=folder, env=environment(), input=given.decode())
                     for program in (plain, woven))
    if (first.returncode, first.stdout) != (second.returncode, second.stdout):
        raise Failure(f"behaves differently: {first.returncode} {second.returncode}")
    profile = os.path.join(folder, "woven.chord")
    expected, functions = stepping.expected_paths(chord, profile, plain, folder, arguments, env=environment(), input=given.decode())
    got = stepping.counted_paths(chord, profile, folder, functions)
    return f"{len(functions)} functions, {stepping.compare(expected, got)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chord")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNS))
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--levels", default="-O0,-O2,-O3")
    options = parser.parse_args()
    chord, failed = os.path.abspath(options.chord), 0
    cache = fetching.cache_folder(building.ROOT)
    for name in options.names or RUNS:
        real = programs.ALL[name](cache)
        for compiler in options.compilers.split(","):
            for level in options.levels.split(","):
                begun = time.monotonic()
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        result = "ok   " + check(chord, real, compiler, level, folder)
                    except Failure as failure:
                        failed, result = failed + 1, f"FAIL {failure}"
                print(f"{name} {compiler} {level}: {result} ({time.monotonic() - begun:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Real programs from Debian sources: the woven program does what the plain one
does, and every instruction has callgrind's count.

    tests/real/run.py                    all, gcc and clang, -O2 -g
    tests/real/run.py lua sqlite --compilers=gcc --levels=-O0,-O3
    tests/real/run.py lua --placements=all     every placement with every kind of weights
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import programs  # noqa: E402  (puts the oracle's folder on the path)
import build as building  # noqa: E402
import fetch as fetching  # noqa: E402
import pool as pooling  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pooling.add_options(parser)
    parser.add_argument("--compilers", default="gcc,clang", help="comma-separated (default: gcc,clang)")
    parser.add_argument("--levels", default="-O2", help="comma-separated (default: -O2)")
    parser.add_argument("--placements", default="default",
                        help=f"comma-separated: default, {', '.join(programs.MODES)}; or all")
    parser.add_argument("--size", type=int, default=1, help="how much work (default: 1)")
    parser.add_argument("names", nargs="*", choices=[[], *programs.ALL], metavar="NAME", help=", ".join(programs.ALL))
    options = parser.parse_args()
    options.verbose = True
    pool = pooling.Pool(options, "real-runs", "tests/real/run.py --keep  # case {}")
    cache = fetching.cache_folder(building.ROOT)
    chosen = [programs.ALL[name](cache) for name in options.names or programs.ALL]
    placements = ["default", *building.PLACEMENTS] if options.placements == "all" else options.placements.split(",")
    return pool.run(real.case(compiler, [level, "-g"], options.size, placement)
                    for real in chosen
                    for compiler in options.compilers.split(",") if real.allows(compiler)
                    for level in options.levels.split(",")
                    for placement in placements)


if __name__ == "__main__":
    sys.exit(main())

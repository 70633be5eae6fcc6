#!/usr/bin/env python3
"""What exceptions and longjmp cost in a woven program, and that every one is counted.

    bench/leaps.py [--count=1000000] [--repeats=5]

CPU time over the plain program's, paired: median and range.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHORD = os.environ.get("CHORD") or str(HERE.parent / "build" / "bin" / "chord")


def seconds(program, kind, count, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, kind, str(count)], cwd=folder, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def check(folder, kind, count):
    """The frames that were left early, and those that left them."""
    text = subprocess.run([CHORD, "report", "--by=function", "--json"], cwd=folder, check=True, capture_output=True,
                          text=True)
    calls = {row["demangled"].split("(")[0]: row["calls"] for row in json.loads(text.stdout)["rows"]}
    receiver = "caught" if kind == "throw" else "landed"
    wrong = {name: calls[name] for name in ("leave", "middle", "begin", receiver) if calls[name] != count}
    if wrong or text.stderr:
        sys.exit(f"{kind}: counts are wrong: {wrong} {text.stderr}")


def measure(compiler, folder, options):
    plain, woven = (os.path.join(folder, name) for name in ("plain", "woven"))
    subprocess.run([compiler, "-O2", HERE / "leaps.cc", "-o", plain], check=True)
    subprocess.run([CHORD, compiler, "-O2", HERE / "leaps.cc", "-o", woven], check=True)
    for kind in ("throw", "longjmp"):
        ratios = []
        for _ in range(options.repeats):
            for profile in Path(folder).glob("*.chord"):
                profile.unlink()
            base, expected = seconds(plain, kind, options.count, folder)
            cost, out = seconds(woven, kind, options.count, folder)
            if out != expected:
                sys.exit(f"{kind}: the woven program prints something else")
            check(folder, kind, options.count)
            ratios.append(cost / base)
        print(f"{compiler:8} {kind:8} {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}), "
              f"plain {base:.2f} s, all {options.count} counted", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    for compiler in ("g++", "clang++"):
        with tempfile.TemporaryDirectory() as folder:
            measure(compiler, folder, options)


main()

#!/usr/bin/env python3
"""What calling contexts could do without, and what paths in them lose, on the real programs.

    bench/contexts.py [--programs=lua,bzip2] [--work=FOLDER] [--reuse]

First, which calls are of functions that would need no record of their own at run time: functions that make no calls, whose activations all cost
the same, and which only known calls enter, so that their counts in every context follow from their callers' (a function that other
units may call is entered by calls that nobody has counted). Then, which functions have their paths cut shorter in contexts than `chord --paths`
keeps them, and what the tables take.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import build as building  # noqa: E402
import configurations  # noqa: E402
import fetch  # noqa: E402
import measure  # noqa: E402
import programs  # noqa: E402


def chord(*arguments):
    return subprocess.run([building.chord(), *arguments], check=True, capture_output=True, text=True).stdout


def ran(real, name, work, reuse):
    """The program and its profile."""
    binary = configurations.build(real, configurations.ALL[name], work, None, reuse)
    measure.cpu_seconds(binary, real.runs(1))
    return binary, next(binary.parent.glob("*.chord"))


def kinds_of_calls(binary, profile):
    """Calls by (makes no calls, who may enter, all activations cost the same)."""
    rows = json.loads(chord("report", profile, "--by=function", "--json"))["rows"]
    calls, kinds = {r["function"]: r["calls"] or 0 for r in rows}, collections.Counter()
    for text in re.split(r"\n(?=procedure )", chord("print", binary))[1:]:
        name = re.match(r'procedure "([^"]*)"', text).group(1)
        known = re.search(r"^called", text, re.M) is not None
        counters = len(re.findall(r"^counter", text, re.M))
        calls_others = re.search(r'^instruction .*"(call|jmp [A-Za-z_*%])', text, re.M) is not None
        kinds[not calls_others, "known" if known else "any", counters <= (0 if known else 1)] += calls.get(name, 0)
    return kinds


def show_records(name, kinds):
    whole = sum(kinds.values()) or 1

    def share(wanted):
        return f"{100 * sum(n for kind, n in kinds.items() if wanted(*kind)) / whole:6.1f} %"

    print(f"{name:10} {whole:12,} calls; of functions that make none: {share(lambda leaf, *_: leaf)}; and always cost the same: "
          f"{share(lambda leaf, by, same: leaf and same)}; and only known calls enter: {share(lambda leaf, by, same: leaf and same and by == 'known')}")


def show_paths(name, alone, inside):
    whole, cut = ({r["function"]: r for r in json.loads(chord("paths", p, "--by=function", "--json"))["rows"]} for p in (alone, inside))
    contexts = collections.Counter(r["function"] for r in json.loads(chord("contexts", inside, "--json"))["rows"])
    shorter = [f for f in whole if f in cut and whole[f]["possible"] != cut[f]["possible"] and whole[f]["possible"] is not None]
    print(f"{name:10} {len(whole)} functions, {sum(contexts.values()):,} contexts, tables of {sum(r['bytes_in_records'] or 0 for r in cut.values()):,} bytes;"
          f" cut shorter: {len(shorter)}")
    for f in shorter:
        print(f"             {f}: {whole[f]['possible']:,} paths, {cut[f]['possible'] or 0:,} in contexts; executed: {whole[f]['executed']}, {cut[f]['executed']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="lua,bzip2,minisat,lapack,sqlite", help="comma-separated")
    parser.add_argument("--work", help="where to build")
    parser.add_argument("--reuse", action="store_true", help="take executables that an earlier run has built")
    options = parser.parse_args()
    cache = fetch.cache_folder(ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(options.work or scratch)
        for name in options.programs.split(","):
            real = programs.ALL[name](cache)
            show_records(name, kinds_of_calls(*ran(real, "chord", work / name, options.reuse)))
            show_paths(name, *(ran(real, c, work / name, options.reuse)[1] for c in ("chord paths", "chord contexts paths")))
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

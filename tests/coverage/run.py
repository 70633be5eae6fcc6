#!/usr/bin/env python3
"""What ran, against counting.

Each program is built by `chord --coverage` and by `chord` alone, from the same source, with what is proved of both (--verify, --prove),
and run. Every block, edge, line and instruction must be said to have run exactly where the other build counts it at all, whatever
ended its activations: returns, exceptions, longjmp, signals, exit, abort.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))

import variants  # noqa: E402
from variants import INCLUDE, Failure, checked, environment, flags_of, run  # noqa: E402

LEVELS = ("-O0", "-O2")
# What names a row, and what of it in the counting build says that it ran. A line of which nothing but what was inlined at it ran has a count, and executed
# none of its own (docs/line-counts.md).
LISTINGS = {
    "block": (("function", "unit", "block"), ("count",)),
    "edge": (("function", "unit", "edge"), ("count",)),
    "instruction": (("function", "procedure", "unit", "offset"), ("count",)),
    "line": (("file", "line"), ("executed", "count")),
    "function": (("function", "unit"), ("executed",)),
}


def build(chord, source, compiler, level, options, folder, name):
    program = os.path.join(folder, name)
    checked([chord, "--verify", *options, compiler, level, "-g", INCLUDE, source, "-o", program, *flags_of(source)], env=environment(), cwd=folder)
    result = run([program], env=environment(CHORD_OUT=program + ".chord"), cwd=folder)
    return program + ".chord", (result.returncode, result.stdout)


def rows(chord, profile, by):
    report = json.loads(checked([chord, "report", profile, f"--by={by}", "--json"], env=environment()).stdout)
    keys, counts = LISTINGS[by]
    found = {}
    for row in report["rows"]:
        key = tuple(row[k] for k in keys)
        if row["exact"] is False:
            raise Failure(f"{by} {key} is not exact: {report['warnings']}")
        if "coverage" in report:
            if set(row) & {"count", "calls", "executed", "share"}:
                raise Failure(f"{by} {key} has counts: {row}")
            ran = row["ran"]
        else:
            ran = any(row[count] for count in counts)
        found[key] = ran or found.get(key, False)
    return found, report


def check(chord, source, compiler, level, variant, folder):
    covered, did = build(chord, source, compiler, level, ["--coverage", "--prove"], folder, "program")
    counted, other = build(chord, source, compiler, level, [], folder, "counting")
    if did != other:
        raise Failure(f"the programs behave differently: {did} and {other}")
    compared = ran = 0
    for by in LISTINGS:
        ours, report = rows(chord, covered, by)
        theirs, _ = rows(chord, counted, by)
        if "coverage" not in report:
            raise Failure("the report does not say that it is about coverage")
        if ours.keys() != theirs.keys():
            raise Failure(f"{by}: rows differ: {list(ours.keys() ^ theirs.keys())[:5]}")
        wrong = [key for key in ours if ours[key] != theirs[key]]
        if wrong:
            said = "\n".join(f"  {key}: {'ran' if ours[key] else 'never'}" for key in wrong[:10])
            raise Failure(f"{by}: {len(wrong)} rows of {len(ours)} say the contrary of what was counted:\n{said}")
        compared += len(ours)
        ran += sum(ours.values())
    skipped = json.loads(checked([chord, "report", covered, "--json"], env=environment()).stdout)["skipped"]
    # Without optimisation all of a small program may run.
    if not compared or not ran or (ran == compared and level != "-O0"):
        raise Failure(f"nothing is shown by this program: {ran} of {compared} rows ran")
    return f"{compared} rows, {ran} ran" + (f"; left alone: {[(s['function'], s['reason']) for s in skipped]}" if skipped else "")


variants.main(LEVELS, check)

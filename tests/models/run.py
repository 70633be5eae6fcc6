#!/usr/bin/env python3
"""Misses of modelled data caches, instruction by instruction, against an independent simulator.

The woven program runs under lackey, which prints every access to memory, and writes its profile in the same run: so both see the
same addresses. Of lackey's stream the accesses of the program's own instructions are kept, which labels of the woven
assembly tell from inserted ones, and are fed to the simulator (simulator.py). Every instruction must have as many misses
in the one as in the other, at each level, and every function and line the sum of its instructions'.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
sys.path.insert(0, HERE)

import variants  # noqa: E402
from simulator import Levels  # noqa: E402
from variants import Failure, checked, environment, flags_of, fresh, run  # noqa: E402

LEVELS = ("-O2",)  # others by hand: --level=-O0
# Geometries of l1d and l2, other modes and kinds of executables: each once, not all with all.
VARIANTS = [
    ["32768,8,64", "262144,8,64"],
    ["1024,2,32", "4096,4,64", "--context", "-no-pie"],
    ["512,1,16", "2048,8,16", "--paths", "-static"],
    ["4096,64,64", ""],
    ["2048,4,64", "8192,2,64", "-fPIC", "-ftls-model=local-exec"],
]


def symbols_of(program):
    """Marks of woven instructions: (procedure, instruction) -> address; functions: name -> address."""
    marks, starts, functions = {}, {}, {}
    for line in checked(["nm", program]).stdout.splitlines():
        words = line.split()
        if len(words) != 3:
            continue
        address, name = int(words[0], 16), words[2]
        mark, start = re.fullmatch(r"\.Lchord_m(\d+)_(\d+)", name), re.fullmatch(r"\.Lchord_f(\d+)_0", name)
        if mark:
            marks[int(mark[1]), int(mark[2])] = address
        elif start:
            starts[int(start[1])] = address
        elif words[1] in "tTwW":
            functions[name] = address
    names = {address: name for name, address in functions.items()}
    return marks, {n: names.get(address) for n, address in starts.items()}


def woven_places(program, rows):
    """Woven address -> (function, offset), of every instruction of the original."""
    marks, names = symbols_of(program)
    by_function = collections.defaultdict(list)
    for row in rows:
        by_function[row["function"]].append(row)
    places = {}
    for n, name in names.items():
        if name is None:
            continue
        own = [r for r in by_function[name] + by_function[name + ".cold"] if not r.get("padding")]
        address = previous = None
        for i, row in enumerate(own):
            mark = marks.get((n, i))
            if mark is not None:
                address = mark
            elif address is not None:
                address += row["offset"] - previous
            if address is None:
                raise Failure(f"{name}: its first instruction has no mark")
            previous = row["offset"]
            places[address] = (row["function"], row["offset"])
    return places


def accesses(trace, places, bias):
    """(place, address, size) of each access that an original instruction makes."""
    place = None
    with open(trace) as file:
        for line in file:
            kind = line[:2]
            if kind == "I ":
                place = places.get(int(line[3:].split(",")[0], 16) - bias)
            elif place is not None and kind in (" L", " S", " M"):
                address, size = line[3:].split(",")
                yield place, int(address, 16), int(size)


def numbers(text):
    return tuple(int(word) for word in text.split(",")) if text else None


def check(chord, source, compiler, level, variant, folder):
    first, second, *others = variant
    modes = [o for o in others if o.startswith("--")]
    flags = [o for o in others if not o.startswith("--")]
    program, trace, profile = (os.path.join(folder, name) for name in ("program", "trace", "program.chord"))
    metrics = f"--metrics=sim:l1d={first}" + (f",sim:l2={second}" if second else "")
    kind = [] if any(f in ("-static", "-no-pie") for f in flags) else ["-fPIE", "-pie"] if "-fPIC" not in flags else ["-pie"]
    checked([chord, "--verify", metrics, *modes, compiler, level, *kind, *flags, "-g", "-Wa,-L", "-falign-functions=16", "-falign-loops=1", "-falign-jumps=1",
             "-falign-labels=1", *flags_of(source), source, "-o", program])
    fresh(profile)
    plain = run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={trace}", program], env=environment(CHORD_OUT=profile))
    rows = json.loads(checked([chord, "report", "--by=instruction", "--json", f"--program={program}", profile]).stdout)["rows"]
    places = woven_places(program, rows)
    bias = 0 if not kind else 0x108000
    found = collections.Counter()
    caches, made = Levels(numbers(first), numbers(second)), 0
    for place, address, size in accesses(trace, places, bias):
        made += 1
        one, two = caches.access(address, size)
        found[place, "sim:l1d"] += one
        found[place, "sim:l2"] += two
    if made == 0:
        raise Failure(f"no access of the program is in lackey's trace ({plain.stderr[-300:]})")
    wrong = []
    for row in rows:
        for metric in ("sim:l1d", "sim:l2") if second else ("sim:l1d",):
            ours = row.get("metrics", {}).get(metric, 0)
            theirs = found[(row["function"], row["offset"]), metric]
            if ours != theirs:
                wrong.append(f"{row['function']}+{row['offset']:#x} {row['text']}: {metric} {ours}, simulator {theirs}")
    if wrong:
        raise Failure(f"{len(wrong)} of {len(rows)} instructions differ\n" + "\n".join(wrong[:20]))
    sums(chord, program, profile, rows)
    total = sum(count for (_, metric), count in found.items() if metric == "sim:l1d")
    return f"{made} accesses, {total} misses"


def sums(chord, program, profile, rows):
    """Functions and lines have the sums of their instructions."""
    for by, key in (("function", lambda r: r["function"].removesuffix(".cold")), ("line", lambda r: (r["file"], r["line"]))):
        wanted = collections.Counter()
        for row in rows:
            wanted[key(row)] += row.get("metrics", {}).get("sim:l1d", 0)
        listed = json.loads(checked([chord, "report", f"--by={by}", "--json", f"--program={program}", profile]).stdout)["rows"]
        for row in listed:
            ours = row.get("metrics", {}).get("sim:l1d", 0)
            if key(row) in wanted and ours != wanted[key(row)]:
                raise Failure(f"by {by}: {key(row)} has {ours} misses, its instructions {wanted[key(row)]}")


if __name__ == "__main__":
    variants.main(LEVELS, check, lambda source: VARIANTS)

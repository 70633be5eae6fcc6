#!/usr/bin/env python3
"""Paths in calling contexts against single-stepping.

The plain program is stepped through once; the trace is folded into contexts (contexts/run.py) and cut into paths (paths/run.py) at the
same time, so it tells how often each path ran in each chain of calls. `chord --context --paths` must count the same; its sums must be
what `chord --paths` counts, path for path, and its contexts those of `chord --context`.

usage: paths.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import array
import collections
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
sys.path.insert(0, os.path.join(HERE, "../paths"))

import run as paths  # noqa: E402
import variants  # noqa: E402
from variants import Failure, checked, environment, fresh, run  # noqa: E402

_spec = importlib.util.spec_from_file_location("contexts_run", os.path.join(HERE, "run.py"))
contexts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contexts)

# Contexts whose paths are asked for one by one: each takes a command.
MOST_CONTEXTS = 10


class ContextCutter(paths.Cutter):
    """Cuts into paths what a folder has put into contexts."""

    def __init__(self, folder, *facts):
        super().__init__(*facts)
        self.folder, self.usual = folder, []

    def count(self, activation, end):
        if activation.blocks:
            key = (activation.node.kind_and_chain(), activation.function.name, activation.start, end, tuple(activation.blocks))
            self.counts[key] += 1
        activation.blocks = []

    def step(self, pc, sp):
        self.folder.step(pc, sp)
        self.stack = self.usual if self.folder.area is None else self.folder.coroutines.cut.setdefault(self.folder.area, [])
        super().step(pc, sp)
        if self.stack and not hasattr(self.stack[-1], "node"):
            self.stack[-1].node = self.folder.stack[-1][2]


def kind_and_chain(node):
    top = node
    while top.parent is not None:
        top = top.parent
    return top.kind, node.chain()


contexts.Node.kind_and_chain = kind_and_chain


def stepped(chord, profile, plain, folder, functions):
    """Counts by kind and chain of the context, function, start, end and blocks."""
    places = paths.symbols(plain)
    stated, block_of = paths.stated_functions(chord, profile, folder, places)
    entries = {places[name][0]: function for name, function in stated.items()}
    own = sorted({(places[n][0], sum(places[n])) for n in places if n.split(".cold")[0] in stated})
    parts = sorted((begin, begin + size, name) for name, (begin, size) in places.items() if name.split(".cold")[0] in functions)
    leapers = [(begin, begin + size) for n, (begin, size) in places.items()
               if n.startswith("_Unwind_") or n in ("__longjmp", "____longjmp_chk", "__setcontext", "__swapcontext")]
    table, trace, tracer = (os.path.join(folder, n) for n in ("ranges", "trace.bin", "trace"))
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x} 1\n" for begin, end in own)
    checked(["gcc", "-O2", os.path.join(HERE, "../paths/trace.c"), "-o", tracer])
    run([tracer, f"{places['_start'][0]:x}", table, trace, plain], cwd=folder)
    words = array.array("Q")
    with open(trace, "rb") as file:
        words.frombytes(file.read())
    jumps = contexts.jumps_of(plain, False)
    coroutines = contexts.Coroutines((begin, begin + size) for begin, size in contexts.data_symbols(plain, "stack"))
    coroutines.cut = {}
    root, signals = contexts.Node(None, "", ""), contexts.Node(None, "", "")
    root.kind, signals.kind = "", "signal"
    names = {places[name][0]: name for name in functions}
    counts, cutters = collections.Counter(), {}
    for at in range(0, len(words), 3):
        if words[at] not in cutters:
            one = contexts.Folder(root, signals, parts, names, coroutines, jumps)
            cutters[words[at]] = ContextCutter(one, block_of, entries, own, leapers, counts)
        cutters[words[at]].step(words[at + 1], words[at + 2])
    for activation in (a for stack in [*(c.usual for c in cutters.values()), *coroutines.cut.values()] for a in stack):
        next(iter(cutters.values())).count(activation, "partial")
    return counts, stated


def by_context(chord, profile, folder, rows, stated):
    """What the contexts' paths are said to be: all of them summed up, and some one by one."""
    whole = paths.counted_paths(chord, profile, folder, stated)
    by_id, several = {row["id"]: row for row in rows}, collections.Counter(row["function"] for row in rows)

    def chain(row):
        above = chain(by_id[row["parent"]]) if row["parent"] else ()
        return above + ((row["site"], row["function"]),)

    def kind(row):
        return kind(by_id[row["parent"]]) if row["parent"] else row["kind"]

    ids = sorted((row["id"] for row in rows if several[row["function"]] > 1), key=lambda i: (by_id[i]["function"], i))
    step = max(1, len(ids) // MOST_CONTEXTS)
    single = {}
    for number in ids[::step]:
        counted = collections.Counter()
        for row in paths.rows_of(folder, chord, "paths", profile, f"--context={number}"):
            if row["blocks"] and row["function"] in stated:
                start = "entry" if row["start"] == "entry" else "inside"
                counted[(row["function"], start, row["end"], tuple(row["blocks"]))] += row["count"]
        single[(kind(by_id[number]), chain(by_id[number]))] = counted
    return whole, single


def check(chord, source, compiler, level, _variant, folder):
    if "clang" in compiler and level == "-O0":
        return None
    woven, plain, both = (os.path.join(folder, n) for n in ("woven", "plain", "paths"))
    profile, other = fresh(os.path.join(folder, "woven.chord")), fresh(os.path.join(folder, "paths.chord"))
    build = [compiler, level, *variants.flags_of(source), "-no-pie", source]
    same_assembler = ["-fno-integrated-as"] if compiler.startswith("clang") else []
    libraries = ["-static-libgcc", "-static-libstdc++"] if source.endswith(".cc") else ["-static"]
    checked([*build, *same_assembler, *libraries, "-o", plain])
    checked([chord, "--verify", "--context", "--paths", *build, "-o", woven])
    checked([chord, "--paths", *build, "-o", both])
    results = [run([program], cwd=folder, env=environment()) for program in (plain, woven, both)]
    if len({(r.returncode, r.stdout) for r in results}) != 1:
        raise Failure(f"behaves differently: {[(r.returncode, r.stdout) for r in results]}")
    rows = paths.rows_of(folder, chord, "contexts", profile)
    contexts.check_sums(rows, paths.rows_of(folder, chord, "report", other, "--by=function"))
    expected, stated = stepped(chord, profile, plain, folder, {row["function"] for row in rows})
    whole, single = by_context(chord, profile, folder, rows, stated)
    found = paths.compare(summed(expected), whole)
    paths.compare(whole, paths.counted_paths(chord, other, folder, stated))
    for place, counted in single.items():
        paths.compare(summed(expected, place), counted)
    if not single:
        raise Failure("no function has several contexts")
    return f"{found}, in {len(rows)} contexts"


def summed(counts, place=None):
    out = collections.Counter()
    for (context, *path), count in counts.items():
        if place in (None, context):
            out[tuple(path)] += count
    return out


if __name__ == "__main__":
    variants.main(contexts.LEVELS, check)

#!/usr/bin/env python3
"""Path counts against single-stepping.

Each program is built plain and stepped through one instruction at a time (trace.c), thread by
thread. Its blocks are those of `chord report --by=block`, its edges and cut edges those that `chord paths --by=edge` states; the trace, cut
into activations by the stack pointer and into paths at the cut edges, gives how often each
sequence of blocks ran, whole or partial. `chord --paths` must count the same, path for path.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import array
import bisect
import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))

import variants  # noqa: E402
from variants import Failure, checked, environment, fresh, run  # noqa: E402

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def symbols(path):
    """By name: address and size. Names that several functions have tell nothing."""
    out, several = {}, set()
    for line in checked(["nm", "-S", path]).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tTwWuiV] (\S+)", line)
        if match:
            place = (int(match.group(1), 16), int(match.group(2), 16))
            if out.setdefault(match.group(3), place) != place:
                several.add(match.group(3))
    return {name: place for name, place in out.items() if name.split(".cold")[0] not in several}


class Function:
    """Blocks by address and the edges between them, as chord states them."""

    def __init__(self, name):
        self.name, self.entry = name, None
        self.edges, self.cuts = set(), set()


class Activation:
    def __init__(self, function, stack):
        self.function, self.stack = function, stack
        self.blocks, self.start = [], "entry"


class Cutter:
    """From a trace of one thread to counts of (function, start, end, blocks)."""

    def __init__(self, block_of, entries, own, leapers, counts):
        self.block_of, self.entries, self.own = block_of, entries, own
        self.leapers, self.counts = leapers, counts
        self.stack, self.before = [], 0

    def leaps(self, pc):
        """It is one of those instructions that land elsewhere than where calls return."""
        return any(begin <= pc < end for begin, end in self.leapers)

    def is_own(self, pc):
        at = bisect.bisect(self.own, (pc, sys.maxsize)) - 1
        return at >= 0 and pc < self.own[at][1]

    def count(self, activation, end):
        if activation.blocks:
            self.counts[(activation.function.name, activation.start, end, tuple(activation.blocks))] += 1
        activation.blocks = []

    def end(self, activation):
        last = activation.blocks[-1] if activation.blocks else None
        self.count(activation, "exit" if (last, "exit") in activation.function.edges else "partial")

    def leave(self, pc, sp):
        """Ends the activations whose frames are gone: left early if what took them away leaps."""
        while self.stack and sp > self.stack[-1].stack:
            if self.leaps(pc) or self.leaps(self.before):
                self.count(self.stack.pop(), "partial")
            else:
                self.end(self.stack.pop())
        if self.stack and sp == self.stack[-1].stack and not self.is_own(pc):  # a tail call out of our text
            self.end(self.stack.pop())

    def step(self, pc, sp):
        self.leave(pc, sp)
        if pc in self.entries:
            top = self.stack[-1] if self.stack else None
            edge = (top.blocks[-1], 0) if top and top.blocks else None
            again = edge and top.stack == sp and top.function is self.entries[pc] and edge in top.function.edges
            if not again:
                if top and top.stack == sp:  # a tail call
                    self.end(self.stack.pop())
                self.stack.append(Activation(self.entries[pc], sp))
        leapt, self.before = self.leaps(self.before), pc
        if pc not in self.block_of or not self.stack:
            return
        function, block = self.block_of[pc]
        top = self.stack[-1]
        if top.function is not function:
            raise Failure(f"{function.name}+{block} runs in an activation of {top.function.name}")
        if top.blocks or top.start != "entry":
            self.move(top, block, leapt)
        top.blocks.append(block)

    def move(self, top, block, leapt):
        edge = (top.blocks[-1], block) if top.blocks else None
        if edge is None:
            return
        if leapt:
            self.count(top, "partial")
            top.start = "inside"
        elif edge in top.function.cuts:
            self.count(top, "loop")
            top.start = "entry" if ("entry", block) in top.function.edges else "inside"
        elif edge not in top.function.edges:
            raise Failure(f"{top.function.name}: no way from {edge[0]} to {edge[1]}")


def rows_of(folder, *command):
    return json.loads(checked([*command, "--json"], cwd=folder).stdout)["rows"]


def stated_functions(chord, profile, folder, places):
    """By name, and by address: the function whose block begins there, and the block."""
    functions, block_of = {}, {}
    for row in rows_of(folder, chord, "paths", profile, "--by=edge"):
        if row["function"] not in places:
            continue
        function = functions.setdefault(row["function"], Function(row["function"]))
        edge = tuple(int(end) if str(end).isdigit() else end for end in (row["from"], row["to"]))
        function.edges.add(edge)
        if row["cut"]:
            function.cuts.add(edge)
    for row in rows_of(folder, chord, "report", profile, "--by=block"):
        name, fragment, offset = row["function"], row["fragment"], row["offset"]
        if name in functions and row["kind"] == "code":
            block = offset if fragment == name else f"{fragment}+{offset}"
            block_of[places[fragment][0] + offset] = (functions[name], block)
    return functions, block_of


def expected_paths(chord, woven_profile, plain, folder, arguments, **settings):
    places = symbols(plain)
    functions, block_of = stated_functions(chord, woven_profile, folder, places)
    entries = {places[name][0]: function for name, function in functions.items()}
    leapers = [(begin, begin + size) for n, (begin, size) in places.items()
               if n.startswith("_Unwind_") or n in ("__longjmp", "____longjmp_chk", "__setcontext", "__swapcontext")]
    table, trace, tracer = (os.path.join(folder, n) for n in ("ranges", "trace.bin", "trace"))
    ranges = sorted({(places[n][0], places[n][0] + places[n][1]) for n in places
                     if n.split(".cold")[0] in functions or n in functions})
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x} 1\n" for begin, end in ranges)
    checked(["gcc", "-O2", os.path.join(HERE, "trace.c"), "-o", tracer])
    run([tracer, f"{places['_start'][0]:x}", table, trace, plain, *arguments], cwd=folder, **settings)
    words = array.array("Q")
    with open(trace, "rb") as file:
        words.frombytes(file.read())
    counts, cutters = collections.Counter(), {}
    for at in range(0, len(words), 3):
        thread = words[at]
        if thread not in cutters:
            cutters[thread] = Cutter(block_of, entries, ranges, leapers, counts)
        cutters[thread].step(words[at + 1], words[at + 2])
    for cutter in cutters.values():
        while cutter.stack:
            cutter.count(cutter.stack.pop(), "partial")
    return counts, functions


def counted_paths(chord, profile, folder, functions):
    counts = collections.Counter()
    for row in rows_of(folder, chord, "paths", profile):
        if row["function"] in functions:
            if not row["blocks"]:
                continue  # from one cut through a dispatch to the next: no instruction tells of it
            start = "entry" if row["start"] == "entry" else "inside"
            counts[(row["function"], start, row["end"], tuple(row["blocks"]))] += row["count"]
    return counts


def check(chord, source, compiler, level, _variant, folder):
    woven, plain = (os.path.join(folder, n) for n in ("woven", "plain"))
    profile = fresh(os.path.join(folder, "woven.chord"))
    build = [compiler, level, *variants.flags_of(source), "-no-pie", source]
    same_assembler = ["-fno-integrated-as"] if compiler.startswith("clang") else []
    # The static C++ library's unwinder sorts all its tables at the first throw, which takes minutes of steps.
    whole = ["-static-libgcc", "-static-libstdc++"] if source.endswith(".cc") else ["-static"]
    checked([*build, *same_assembler, *whole, "-o", plain])
    expected = None
    for beside in ([], ["--events=instructions,backward"]):
        checked([chord, "--verify", "--paths", *beside, *build, "-o", woven])
        fresh(profile)
        first, second = (run([program], cwd=folder, env=environment()) for program in (plain, woven))
        if (first.returncode, first.stdout) != (second.returncode, second.stdout):
            raise Failure(f"behaves differently: {first.returncode} {second.returncode}\n{first.stdout}{second.stdout}")
        if expected is None:
            expected, functions = expected_paths(chord, profile, plain, folder, [])
        result = compare(expected, counted_paths(chord, profile, folder, functions))
    return result


def compare(expected, got):
    if not expected:
        raise Failure("nothing was traced")
    wrong = [key for key in expected.keys() | got.keys() if expected[key] != got[key]]
    if wrong:
        shown = "\n".join(f"  {key}: stepped {expected[key]}, counted {got[key]}" for key in sorted(wrong, key=str)[:12])
        raise Failure(f"{len(wrong)} of {len(expected)} paths differ\n{shown}")
    return f"{sum(expected.values())} executions of {len(expected)} paths"


if __name__ == "__main__":
    variants.main(LEVELS, check)

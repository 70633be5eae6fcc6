#!/usr/bin/env python3
"""Calling contexts against single-stepping.

Each program is built plain and stepped through one instruction at a time (paths/trace.c), thread by
thread. Program counters and stack pointers say who called whom from where; folded as contexts are
(a function below itself is the one above, signal handlers are roots, a jump to another function by its
name is a call from there if that keeps a record, other jumps out of functions only end them), the trace gives calls and instructions of every chain of calls. `chord
--context` must count the same, chain by chain, and report the same functions as a build without it.

Signal handlers are told by their names, which begin with on_signal, and the stacks of coroutines by
theirs, which are global arrays whose names begin with stack; any thread may go on with one.

Code for shared objects (-fPIC) is checked in an executable; there no jump is a call.

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
sys.path.insert(0, os.path.join(HERE, "../paths"))

import variants  # noqa: E402
from run import rows_of, symbols  # noqa: E402
from variants import Failure, checked, environment, fresh, run  # noqa: E402

LEVELS = ("-O0", "-O2")


class Node:
    """A context: what it was called as, and from where."""

    def __init__(self, parent, site, function):
        self.parent, self.site, self.function = parent, site, function
        self.children, self.calls, self.instructions = {}, 0, 0

    def chain(self):
        above = self.parent.chain() if self.parent.parent is not None else ()
        return above + ((self.site, self.function),)

    def child(self, site, function):
        at = self
        while at is not None:  # recursion
            if at.function == function:
                return at
            at = at.parent
        return self.children.setdefault((site, function), Node(self, site, function))


class Coroutines:
    """Areas that are stacks, on which any thread may go on: activations of each that has been one, and who switched to it when they began."""

    def __init__(self, areas=()):
        self.areas, self.stacks, self.below = list(areas), {}, {}

    def begins(self, area, sp):
        """Whether what ran on it before has ended, or was given up: there is nothing below but where it returns to."""
        return not self.stacks.get(area) or sp >= self.stacks[area][0][1] - 8


class Folder:
    """From the trace of one thread to contexts."""

    # Functions that jump to themselves by name, which is a call; of others a jump to where they begin is a loop around the whole.
    call_themselves = frozenset()

    def __init__(self, root, signals, parts, entries, coroutines, jumps):
        self.root, self.signals, self.parts, self.entries, self.coroutines = root, signals, parts, entries, coroutines
        self.jumps = jumps
        self.starts = [begin for begin, _, _ in parts]
        # Activations: [function, stack pointer at entry, node, last instruction]. The first on a coroutine's stack was called where
        # the one before was left.
        self.own, self.before, self.area = [], None, None
        self.stack = self.own

    def change_stack(self, area, sp):
        others = self.coroutines
        if area is not None and others.begins(area, sp):
            if self.stack[-1][3] in self.jumps:  # to what switched
                self.stack.pop()
            others.below[area], others.stacks[area] = list(self.stack[-1]), []
        self.stack, self.area = self.own if area is None else others.stacks[area], area

    def part_of(self, pc):
        at = bisect.bisect(self.starts, pc) - 1
        return self.parts[at] if at >= 0 and pc < self.parts[at][1] else None

    def site(self, pc):
        begin, _, name = self.part_of(pc)
        return f"{name}+{pc - begin:#x}"

    def enter(self, function, sp):
        top = self.stack[-1] if self.stack else None
        if top is not None and top[1] == sp and top[0] == function and function not in self.call_themselves:
            return
        if function.startswith("on_signal"):
            node = self.signals.child("", function)
        elif top is None and self.area is not None:
            below = self.coroutines.below[self.area]
            node = below[2].child(self.site(below[3]), function)
        elif top is None:
            node = self.root.child("", function)
        else:
            node = top[2].child(self.site(top[3]), function)
        if top is not None and top[1] == sp:  # a jump that is a call
            self.stack.pop()
        self.stack.append([function, sp, node, None])
        node.calls += 1

    def leaves_by_jump(self, top, pc, sp):
        """By one that is no call: through a pointer, even to the same function again, or to a function that keeps no record."""
        if top[3] not in self.jumps or self.jumps[top[3]] in self.entries:
            return False
        if pc in self.entries:
            return self.jumps[top[3]] == THROUGH_POINTER or (self.entries[pc], sp) != (top[0], top[1])
        return self.part_of(pc)[2].split(".cold")[0] != top[0]

    def step(self, pc, sp):
        area = next((a for a in self.coroutines.areas if a[0] < sp <= a[1]), None)
        if area != self.area:
            self.change_stack(area, sp)
        while self.stack and sp > self.stack[-1][1]:
            self.stack.pop()
        part = self.part_of(pc)
        if part is None:
            self.before = None
            return
        if self.stack and self.leaves_by_jump(self.stack[-1], pc, sp):
            self.stack.pop()
        if pc in self.entries:
            self.enter(self.entries[pc], sp)
        top = self.stack[-1]
        if part[2].split(".cold")[0] != top[0]:
            raise Failure(f"{part[2]} runs in an activation of {top[0]}")
        if (pc, sp) != self.before:  # else a repeated string instruction
            top[2].instructions += 1
        top[3], self.before = pc, (pc, sp)


def data_symbols(path, prefix):
    for line in checked(["nm", "-S", path]).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "bBdD" and words[3].startswith(prefix):
            yield int(words[0], 16), int(words[1], 16)


THROUGH_POINTER, NOWHERE = -1, -2


def jumps_of(path, shared):
    """Where each jump leads; those of shared objects that are not through pointers: nowhere."""
    jumps = {}
    for line in checked(["objdump", "-d", "--no-show-raw-insn", path]).stdout.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(?:notrack |bnd )?(j\w+)\s+(\*|[0-9a-f]+)", line)
        if found:
            jumps[int(found[1], 16)] = THROUGH_POINTER if found[3] == "*" else NOWHERE if shared else int(found[3], 16)
    return jumps


def all_nodes(node):
    for child in node.children.values():
        yield child
        yield from all_nodes(child)


def stepped(plain, functions, folder, shared):
    places = symbols(plain)
    entries = {places[name][0]: name for name in functions}
    parts = sorted((begin, begin + size, name) for name, (begin, size) in places.items()
                   if name.split(".cold")[0] in functions)
    table, trace, tracer = (os.path.join(folder, n) for n in ("ranges", "trace.bin", "trace"))
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x} 1\n" for begin, end, _ in parts)
    checked(["gcc", "-O2", os.path.join(HERE, "../paths/trace.c"), "-o", tracer])
    run([tracer, f"{places['_start'][0]:x}", table, trace, plain], cwd=folder)
    words = array.array("Q")
    with open(trace, "rb") as file:
        words.frombytes(file.read())
    jumps = jumps_of(plain, shared)
    coroutines = Coroutines((begin, begin + size) for begin, size in data_symbols(plain, "stack"))
    root, signals, threads = Node(None, "", ""), Node(None, "", ""), {}
    for at in range(0, len(words), 3):
        if words[at] not in threads:
            threads[words[at]] = Folder(root, signals, parts, entries, coroutines, jumps)
        threads[words[at]].step(words[at + 1], words[at + 2])
    counts = collections.Counter()
    for kind, top in (("", root), ("signal", signals)):
        for node in all_nodes(top):
            counts[(kind, node.chain())] = (node.calls, node.instructions)
    return counts


def counted(rows):
    by_id, out = {row["id"]: row for row in rows}, {}

    def chain(row):
        above = chain(by_id[row["parent"]]) if row["parent"] else ()
        return above + ((row["site"], row["function"]),)

    def kind(row):
        return kind(by_id[row["parent"]]) if row["parent"] else row["kind"]

    for row in rows:
        out[(kind(row), chain(row))] = (row["calls"], row["exclusive"])
    return out


def check_sums(rows, functions):
    """Exclusive counts add up to inclusive ones, and to what a build without contexts counts."""
    below = collections.Counter()
    for row in rows:
        below[row["parent"]] += row["inclusive"]
    for row in rows:
        if row["inclusive"] != row["exclusive"] + below[row["id"]]:
            raise Failure(f"{row}: its children took {below[row['id']]}")
    sums = collections.Counter()
    for row in rows:
        sums[row["function"]] += row["exclusive"]
    wrong = {f["function"]: (f["executed"], sums[f["function"]]) for f in functions
             if f["function"] in sums and f["executed"] != sums[f["function"]]}
    if wrong:
        raise Failure(f"without contexts, and in all contexts: {wrong}")


def check(chord, source, compiler, level, variant, folder):
    if variant and (level == "-O0" or "clang" in compiler):  # -fPIC at -O2 shows it; clang's is in e2e/contexts/contexts_of_libraries.sh
        return None
    woven, plain, edges = (os.path.join(folder, n) for n in ("woven", "plain", "edges"))
    profile, other = fresh(os.path.join(folder, "woven.chord")), fresh(os.path.join(folder, "edges.chord"))
    build = [compiler, level, *variant, *variants.flags_of(source), "-no-pie", source]
    same_assembler = ["-fno-integrated-as"] if compiler.startswith("clang") else []
    whole = ["-static-libgcc", "-static-libstdc++"] if source.endswith(".cc") else ["-static"]
    checked([*build, *same_assembler, *whole, "-o", plain])
    checked([chord, "--verify", "--context", *build, "-o", woven])
    checked([chord, *build, "-o", edges])
    first, second, third = (run([program], cwd=folder, env=environment()) for program in (plain, woven, edges))
    if len({(r.returncode, r.stdout) for r in (first, second, third)}) != 1:
        raise Failure(f"behaves differently: {first.returncode} {second.returncode}\n{first.stdout}{second.stdout}")
    rows = rows_of(folder, chord, "contexts", profile)
    check_sums(rows, rows_of(folder, chord, "report", other, "--by=function"))
    return compare(stepped(plain, {row["function"] for row in rows}, folder, bool(variant)), counted(rows))


def compare(expected, got):
    if not expected:
        raise Failure("nothing was traced")
    wrong = [key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key)]
    if wrong:
        shown = "\n".join(f"  {key}: stepped {expected.get(key)}, counted {got.get(key)}" for key in sorted(wrong, key=str)[:12])
        raise Failure(f"{len(wrong)} of {len(expected)} contexts differ (calls, instructions)\n{shown}")
    return f"{sum(calls for calls, _ in expected.values())} calls in {len(expected)} contexts"


if __name__ == "__main__":
    variants.main(LEVELS, check, lambda source: [[], ["-fPIC"]])

#!/usr/bin/env python3
"""Misses of modelled caches and branch predictors, instruction by instruction, against an independent simulator.

The woven program runs under lackey, which prints every access to memory, and writes its profile in the same run: so both see the
same addresses. Of lackey's stream the accesses of the program's own instructions are kept, which labels of the woven
assembly tell from inserted ones, and are fed to the simulator (simulator.py). Models of code get the addresses that the
instructions have in a plain build. Every instruction must have as many misses in the one as in the other, in each model, and every
function and line the sum of its instructions'.

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
from simulator import Cache, Levels, Predictor  # noqa: E402
from variants import Failure, checked, environment, flags_of, fresh, run  # noqa: E402

LEVELS = ("-O2",)  # others by hand: --level=-O0
# Models, other modes and kinds of executables: each once, not all with all.
VARIANTS = [
    ["l1d=32768,8,64", "l2=262144,8,64", "branch=gshare,14,12"],
    ["l1d=1024,2,32", "l2=4096,4,64", "l1i=512,2,32", "branch=gselect,6,3", "--context", "-no-pie"],
    ["l1d=512,1,16", "l2=2048,8,16", "l1i=256,1,16", "branch=bimodal,4", "--paths", "-static"],
    ["l1d=4096,64,64"],
    ["l1i=64,1,64", "branch=gshare,5,5"],
    ["l1d=2048,4,64", "l2=8192,2,64", "l1i=1024,16,64", "branch=gselect,14,7", "-fPIC", "-ftls-model=local-exec"],
    ["l1d=1024,4,32", "l2=4096,2,32", "l1i=512,4,64", "branch=gshare,8,6", "library", "--context", "--paths"],
]
# A program in a shared object. The plain program that runs it says where it is.
START = """
#include <stdio.h>
int program_main(int, char **);
int main(int count, char **arguments) {
  fprintf(stderr, "at %p\\n", (void *)program_main);
  return program_main(count, arguments);
}
"""
LIBRARY = ["-fPIC", "-shared", "-ftls-model=initial-exec", "-Dmain=program_main"]


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
    """(place, None, None) of each original instruction, then (place, address, size) of each access that it makes."""
    place = None
    with open(trace) as file:
        for line in file:
            kind = line[:2]
            if kind == "I ":
                place = places.get(int(line[3:].split(",")[0], 16) - bias)
                if place is not None:
                    yield place, None, None
            elif place is not None and kind in (" L", " S", " M"):
                address, size = line[3:].split(",")
                yield place, int(address, 16), int(size)


class Code:
    """Where instructions are in the plain program, how large they are, and what follows them."""

    def __init__(self, plain, rows):
        symbols = {}
        for line in checked(["nm", "-S", plain]).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwW":
                symbols[words[3]] = int(words[0], 16), int(words[1], 16)
        self.address, self.size, self.next, self.branches = {}, {}, {}, set()
        self.without_memory = {(r["function"], r["offset"]) for r in rows if re.fullmatch(r"bt[srcqlw]*\s+[%$][^()]*", r["text"])}
        by_function = collections.defaultdict(list)
        for row in rows:
            by_function[row["function"]].append(row)
        for name, own in by_function.items():
            if name not in symbols:
                raise Failure(f"{name} is not in the plain program")
            own.sort(key=lambda r: r["offset"])
            start, length = symbols[name]
            following = None
            for row, end in reversed(list(zip(own, [r["offset"] for r in own[1:]] + [length]))):
                place = name, row["offset"]
                self.address[place], self.size[place] = start + row["offset"], end - row["offset"]
                self.next[place] = following
                if re.match(r"(j(?!mp)|loop)", row["text"].split()[0]):
                    self.branches.add(place)
                if not row.get("padding"):
                    following = place


class Machine:
    """All models of a variant, fed with what the program does; what it has missed, by place and model."""

    def __init__(self, models, code):
        self.found, self.code, self.branching = collections.Counter(), code, None
        self.data = Levels(numbers(models["l1d"]), numbers(models.get("l2"))) if "l1d" in models else None
        self.fetches = Cache(*numbers(models["l1i"])) if "l1i" in models else None
        kind, *sizes = models.get("branch", "none").split(",")
        self.predictor = Predictor(kind, *map(int, sizes)) if sizes else None

    def execute(self, place):
        if self.branching is not None:
            taken = place != self.code.next[self.branching]
            self.found[self.branching, "sim:branch"] += self.predictor.branch(self.code.address[self.branching], taken)
        self.branching = place if self.predictor is not None and place in self.code.branches else None
        if self.fetches is not None:
            self.found[place, "sim:l1i"] += self.fetches.access(self.code.address[place], self.code.size[place])

    def access(self, place, address, size):
        # valgrind keeps the register of `bt` in memory of its own making.
        if self.data is not None and place not in self.code.without_memory:
            one, two = self.data.access(address, size)
            self.found[place, "sim:l1d"] += one
            self.found[place, "sim:l2"] += two


def numbers(text):
    return tuple(int(word) for word in text.split(",")) if text else None


def start_library(folder, library):
    """A plain program that runs the one in the library."""
    source, program = os.path.join(folder, "start.c"), os.path.join(folder, "start")
    with open(source, "w") as file:
        file.write(START)
    checked(["gcc", "-O1", "-fPIE", "-pie", source, library, f"-Wl,-rpath,{folder}", "-o", program])
    return program


def bias_of(program, kind, told):
    """Where the traced program's addresses begin."""
    if kind != LIBRARY:
        return 0x108000 if kind else 0
    at = int(re.search(r"^at (0x[0-9a-f]+)$", told, re.MULTILINE)[1], 16)
    return at - next(int(line.split()[0], 16) for line in checked(["nm", program]).stdout.splitlines() if line.endswith(" T program_main"))


def check(chord, source, compiler, level, variant, folder):
    models = dict(o.split("=") for o in variant if not o.startswith("-") and "=" in o)
    modes = [o for o in variant if o.startswith("--")]
    flags = [o for o in variant if o.startswith("-") and not o.startswith("--")]
    program, plain, trace, profile = (os.path.join(folder, name) for name in ("program", "plain", "trace", "program.chord"))
    metrics = "--metrics=" + ",".join(f"sim:{name}={value}" for name, value in models.items())
    kind = [] if any(f in ("-static", "-no-pie") for f in flags) else ["-fPIE", "-pie"] if "-fPIC" not in flags else ["-pie"]
    if "library" in variant:
        kind, program = LIBRARY, program + ".so"
    command = [compiler, level, *kind, *flags, "-g", "-Wa,-L", "-falign-functions=16", "-falign-loops=1", "-falign-jumps=1", "-falign-labels=1",
               *flags_of(source), source, "-o"]
    checked([*command, plain])
    checked([chord, "--verify", metrics, f"--layout={plain}", *modes, *command, program])
    fresh(profile)
    started = start_library(folder, program) if kind == LIBRARY else program
    traced = run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={trace}", started], env=environment(CHORD_OUT=profile))
    rows = json.loads(checked([chord, "report", "--by=instruction", "--json", f"--program={program}", profile]).stdout)["rows"]
    places = woven_places(program, rows)
    bias = bias_of(program, kind, traced.stderr)
    machine, made = Machine(models, Code(plain, rows)), 0
    for place, address, size in accesses(trace, places, bias):
        made += 1
        if address is None:
            machine.execute(place)
        else:
            machine.access(place, address, size)
    found = machine.found
    if made == 0:
        raise Failure(f"no access of the program is in lackey's trace ({traced.stderr[-300:]})")
    wrong = []
    for row in rows:
        for metric in (f"sim:{name}" for name in models):
            ours = row.get("metrics", {}).get(metric, 0)
            theirs = found[(row["function"], row["offset"]), metric]
            if ours != theirs:
                wrong.append(f"{row['function']}+{row['offset']:#x} {row['text']}: {metric} {ours}, simulator {theirs}")
    if wrong:
        raise Failure(f"{len(wrong)} of {len(rows)} instructions differ\n" + "\n".join(wrong[:20]))
    for name in models:
        sums(chord, program, profile, rows, f"sim:{name}")
    totals = {f"sim:{name}": sum(count for (_, metric), count in found.items() if metric == f"sim:{name}") for name in models}
    return f"{made} instructions and accesses, " + ", ".join(f"{name} {total}" for name, total in totals.items())


def sums(chord, program, profile, rows, metric):
    """Functions and lines have the sums of their instructions."""
    for by, key in (("function", lambda r: r["function"].removesuffix(".cold")), ("line", lambda r: (r["file"], r["line"]))):
        wanted = collections.Counter()
        for row in rows:
            wanted[key(row)] += row.get("metrics", {}).get(metric, 0)
        listed = json.loads(checked([chord, "report", f"--by={by}", "--json", f"--program={program}", profile]).stdout)["rows"]
        for row in listed:
            ours = row.get("metrics", {}).get(metric, 0)
            if key(row) in wanted and ours != wanted[key(row)]:
                raise Failure(f"by {by}: {key(row)} has {ours} of {metric}, its instructions {wanted[key(row)]}")


if __name__ == "__main__":
    variants.main(LEVELS, check, lambda source: VARIANTS)

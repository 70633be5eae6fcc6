#!/usr/bin/env python3
"""What two versions of chord make of the same sources, in every mode.

Each source is compiled to assembly once for each compiler and level; both versions assemble that text in each mode.
Assembly (.s), such as real programs leave with -save-temps, is taken as it is, in the modes that fit both kinds of code.
Objects must be equal section by section (the runtime's own code left out). What differs is listed by function, with
the number of instructions in each version: behaviour that changes is to be explained, and must not cost more.

Hours of work can be done in parts: with --log=FILE what has been compared is kept there, and not compared again.

usage: compare.py OLD-CHORD NEW-CHORD [SOURCE…] [--modes=…] [--compilers=…] [--levels=…] [--jobs=N] [--log=FILE]
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODES = {
    "default": [],
    "pic": ["--counters=thread", "-fPIC"],
    "paths": ["--paths"],
    "paths-pic": ["--paths", "-fPIC"],
    "events": ["--events=instructions,loads"],
    "events-too": ["--events=instructions", "--place=optimal"],
    "budget": ["--events=instructions", "--budget"],
    "callsites": ["--callsites"],
    "context": ["--context"],
    "context-pic": ["--context", "-fPIC"],
    "context-paths": ["--context", "--paths"],
    "coverage": ["--coverage"],
    "trace": ["--trace"],
    "witness": ["--trace=witness"],
    "trace-paths": ["--trace=paths"],
    "clock": ["--metrics=tsc"],
    "clock-paths": ["--metrics=tsc", "--paths"],
    "models": ["--metrics=sim:l1d,sim:l2"],
    "durable": ["--durable"],
    "atomic": ["--counters=atomic"],
    "global": ["--counters=global"],
    "redundant": ["--place=redundant"],
    "vertex": ["--place=vertex"],
    "noise": ["--paths", "--except-noise"],
    "memory": ["--loop-counters=memory"],
}
COMPILERS = {".c": ("gcc", "clang"), ".cc": ("g++", "clang++"), ".f90": ("gfortran",), ".s": ("gcc",)}


AS_IT_IS = "as it is"


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                          env={k: v for k, v in os.environ.items() if not k.startswith("CHORD")})


def names_in(path):
    """Of the program's own functions and sections: all that the plain object has."""
    names = {line.split()[-1] for line in run(["nm", path], ".").stdout.splitlines()}
    sizes = {name: [len(part) for part in parts] for name, parts in sections_of(path).items()
             if not name.startswith((".text", ".debug", ".comment"))}
    return names, sizes


def functions_of(path, names):
    """By name: the instructions as text, without addresses."""
    out, name = collections.OrderedDict(), None
    text = run(["objdump", "-dr", "--no-show-raw-insn", "--no-addresses", path], ".").stdout
    for line in text.splitlines():
        if match := re.fullmatch(r"<(.+)>:", line):
            name = match.group(1) if match.group(1) in names else None
        elif name is not None and line.strip():
            out.setdefault(name, []).append(line.strip())
    return out


def sections_of(path):
    """Contents by name."""
    out = {}
    for line in run(["readelf", "-SW", path], ".").stdout.splitlines():
        match = re.match(r" *\[ *(\d+)\] (\S+) +(\S+) +\S+ (\S+) (\S+)", line)
        if not match or match.group(3) in ("NOBITS", "NULL", "STRTAB", "SYMTAB", "RELA", "GROUP"):
            continue
        name = match.group(2)
        if name in (".eh_frame", ".debug_frame"):  # the runtime's are in them, too
            continue
        with open(path, "rb") as file:
            file.seek(int(match.group(4), 16))
            out.setdefault(name, []).append(file.read(int(match.group(5), 16)))
    return out


def differences(old, new, own):
    """Functions that differ, or the sections if no function does. The runtime's part comes after the program's."""
    names, sizes = own
    before, after = functions_of(old, names), functions_of(new, names)
    lines = []
    for name in list(before) + [n for n in after if n not in before]:
        if before.get(name) != after.get(name):
            lines.append(f"    {name}: {len(before.get(name, []))} -> {len(after.get(name, []))} instructions")
    if not lines:
        def part(sections, name):
            pieces = sections.get(name, [])
            return [p[:n] for p, n in zip(pieces, sizes[name])] if name in sizes else pieces
        a, b = sections_of(old), sections_of(new)
        names = [*sizes, "chord_procs", ".chord.anchor", ".chord.map"]
        lines = [f"    section {name}" for name in sorted(names) if part(a, name) != part(b, name)]
    return lines


def compare(task):
    chords, source, compiler, level, modes, folder = task
    name = name_of(source, compiler, level)
    work = tempfile.mkdtemp(dir=folder)
    text = os.path.join(work, "text.s")
    with open(source, errors="replace") as file:
        head = file.read() if level != AS_IT_IS else ""
    flags = [w for g in re.findall(r"(?:suite-)?flags: (.*?) *(?:\*/|$)", head, re.M) for w in g.split()]
    counts, lines = collections.Counter(), []
    for pic in ("", "-fPIC"):
        chosen = {m: o for m, o in modes.items() if ("-fPIC" in o) == bool(pic)}
        if not chosen or (pic and level == AS_IT_IS):
            continue
        if level == AS_IT_IS:
            text = source
        elif run([compiler, level, "-g", *flags, *filter(None, [pic]), "-I", os.path.join(ROOT, "runtime/include"),
                  "-S", source, "-o", text], work).returncode != 0:
            return name, collections.Counter(uncompiled=1), []
        plain = os.path.join(work, "plain.o")
        run([compiler, "-c", text, "-o", plain], work)
        own = names_in(plain)
        for mode, options in chosen.items():
            objects, results = [], []
            for k, chord in enumerate(chords):
                objects.append(os.path.join(work, f"{k}.o"))
                results.append(run([chord, *[o for o in options if o != "-fPIC"], compiler, *filter(None, [pic]), "-c", text,
                                    "-o", objects[-1]], work))
            if results[0].returncode != 0 or results[1].returncode != 0:
                kind = "refused by both" if all(r.returncode for r in results) else "refused by one"
                counts[kind] += 1
                if kind == "refused by one":
                    lines.append(f"  {name} {mode}: refused by one: {(results[0].stderr or results[1].stderr).strip()[:200]}")
            elif found := differences(*objects, own):
                counts["different"] += 1
                lines += [f"  {name} {mode}:"] + found
            else:
                counts["identical"] += 1
    subprocess.run(["rm", "-rf", work], check=False)
    return name, counts, lines


def name_of(source, compiler, level):
    return f"{os.path.basename(source)} {compiler} {level}"


class Log:
    """What has been compared, one line of JSON each: versions, modes, name, counts, differences."""

    def __init__(self, path, chords, modes):
        self.path, self.key, self.done = path, [*chords, ",".join(modes)], {}
        if path and os.path.exists(path):
            with open(path) as file:
                entries = [json.loads(line) for line in file]
            self.done = {e["name"]: (collections.Counter(e["counts"]), e["lines"]) for e in entries if e["key"] == self.key}

    def add(self, name, counts, lines):
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps({"key": self.key, "name": name, "counts": counts, "lines": lines}) + "\n")


def levels_of(source, levels):
    return [AS_IT_IS] if source.endswith(".s") else levels.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--compilers")
    parser.add_argument("--levels", default="-O0,-O2,-O3")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--log")
    options = parser.parse_args()
    chords = [os.path.abspath(options.old), os.path.abspath(options.new)]
    sources = options.sources or sorted(
        path for ending in COMPILERS for path in glob.glob(os.path.join(ROOT, "tests/suite/programs/*" + ending)))
    modes = {m: MODES[m] for m in options.modes.split(",")}
    log = Log(options.log, chords, modes)
    total, failed = collections.Counter(), False

    def take(counts, lines):
        total.update(counts)
        for line in lines:
            print(line, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        tasks = [(chords, os.path.abspath(s), c, level, modes, folder) for s in sources
                 for c in COMPILERS[os.path.splitext(s)[1]] for level in levels_of(s, options.levels)
                 if not options.compilers or c in options.compilers.split(",")]
        for _, source, compiler, level, _, _ in tasks:
            take(*log.done.get(name_of(source, compiler, level), ({}, [])))
        tasks = [task for task in tasks if name_of(*task[1:4]) not in log.done]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name, counts, lines in pool.map(compare, tasks):
                log.add(name, counts, lines)
                take(counts, lines)
    print(", ".join(f"{n} {what}" for what, n in sorted(total.items())) or "nothing compared")
    failed = total["different"] or total["refused by one"] or not total["identical"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

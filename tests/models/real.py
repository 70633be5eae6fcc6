#!/usr/bin/env python3
"""Misses of the models in real programs, instruction by instruction, against the simulator and beside cachegrind. By hand:

    tests/models/real.py [--programs=lua,bzip2,sqlite,minisat,lapack] [--modes=--context,--paths] [--compiler=gcc] [--level=-O2] [--models=usual]

Each program is built plain and woven, and the woven one runs once under lackey with a small input, as in run.py. All models at once (`small` and `odd` are other
geometries); those of code have the plain program's addresses. Cachegrind runs the plain program: its caches hold what libc does, too, and stacks and heaps are elsewhere, so its figures of the program's own
functions are near, not equal; where there is no libc in between they are equal (tests/e2e/metrics/models_equal_cachegrind.sh)."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import build as building  # noqa: E402
import fetch as fetching  # noqa: E402
import json  # noqa: E402
import programs  # noqa: E402
import run as exact  # noqa: E402
from variants import Failure, checked, environment, fresh  # noqa: E402

MODELS = {
    "usual": {"l1d": "32768,8,64", "l2": "262144,8,64", "l1i": "32768,8,64", "branch": "gselect,14,7"},
    "small": {"l1d": "1024,2,32", "l2": "4096,4,64", "l1i": "512,2,32", "branch": "gshare,8,6"},
    "odd": {"l1d": "3072,3,16", "l2": "10240,5,64", "l1i": "2048,32,64", "branch": "bimodal,6"},
}
CACHES = ["--D1=32768,8,64", "--I1=32768,8,64", "--LL=8388608,16,64"]
SQL = b"create table t(a, b); insert into t values (1, 'one'), (2, 'two'), (3, 'three'); select sum(a), max(b) from t where a > 1;\n"
# Arguments and input, small: a program of a few million instructions makes gigabytes of trace, which is never stored.
INPUTS = {
    "lua": (["-e", "local t = {} for i = 1, 60 do t[i] = tostring(i * i) end table.sort(t) print(table.concat(t, ','):gsub('1', 'x'))"], b""),
    "bzip2": (["-1", "-c"], programs.sample_text(1500)),
    "sqlite": ([":memory:"], SQL),
    "minisat": (["-verb=0"], programs.sample_clauses(25, 1)),
    "lapack": (["3"], b""),
}
ALIGNED = ["-falign-functions=16", "-falign-loops=1", "-falign-jumps=1", "-falign-labels=1"]


def build(real, prefix, target, compiler, level):
    """One executable, a unit after the other; labels of probes stay in it."""
    target.mkdir()
    program = building.Program(real.name, real.sources, compiler)
    objects = []
    for index, source in enumerate(real.sources):
        objects.append(target / f"{index}-{source.stem}.o")
        driver = program.driver(building.LANGUAGES[source.suffix])
        checked([*prefix, driver, level, "-gdwarf-4", "-w", "-fPIE", "-Wa,-L", *program.flags, *ALIGNED, *real.flags, *building.modules_in(target, [source]), "-c", str(source), "-o", str(objects[-1])], cwd=target, timeout=3000)
    checked([*prefix, program.linker_driver(), level, "-pie", *map(str, objects), "-o", str(target / "prog"), *real.link], cwd=target)
    return str(target / "prog")


def units_of(program):
    """Local symbols stand in the table after the name of the file that they come from: [(file, [(address, size, type, name)])], each unit's; and all others."""
    units, shared = [("", [])], []
    for line in checked(["readelf", "-sW", program]).stdout.splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].endswith(":") or not re.fullmatch("[0-9a-f]{16}", words[1]):
            continue
        if words[3] == "FILE":
            units.append((words[7], []))
        else:
            (units[-1][1] if words[4] == "LOCAL" else shared).append((int(words[1], 16), int(words[2], 0), words[3], words[7]))
    return units, shared


def functions_by_address(program):
    """Address -> names: constructors have several."""
    units, shared = units_of(program)
    names = collections.defaultdict(set)
    for address, _, kind, name in (symbol for symbols in [shared, *(own for _, own in units)] for symbol in symbols):
        if kind in ("FUNC", "IFUNC"):
            names[address].add(name)
    return names


class Places:
    """Original instructions in the woven program: address -> (key, offset). A key is a function of one unit: static ones may share their names."""

    def __init__(self, woven, rows):
        names = functions_by_address(woven)
        self.rows = collections.defaultdict(list)
        for row in rows:
            if not row.get("padding"):
                self.rows[row["unit"], row["function"]].append(row)
        self.units = collections.defaultdict(list)  # function -> units
        for unit, function in self.rows:
            self.units[function].append(unit)
        self.of = {}
        for _, symbols in units_of(woven)[0]:
            self.add_unit(symbols, names)

    def add_unit(self, symbols, names):
        marks, starts = {}, {}
        for address, _, _, name in symbols:
            if mark := re.fullmatch(r"\.Lchord_m(\d+)_(\d+)", name):
                marks[int(mark[1]), int(mark[2])] = address
            elif start := re.fullmatch(r"\.Lchord_f(\d+)_0", name):
                starts[int(start[1])] = address
        functions = {n: next((name for name in sorted(names[address]) if name in self.units), None) for n, address in starts.items()}
        known = [self.units[f] for f in functions.values() if f is not None and len(self.units[f]) == 1]
        own = collections.Counter(u[0] for u in known).most_common(1)
        for n, function in functions.items():
            if function is None:
                continue
            units = self.units[function]
            unit = units[0] if len(units) == 1 else own[0][0] if own and own[0][0] in units else None
            if unit is not None:
                self.add_function(n, marks, (unit, function))

    def add_function(self, n, marks, key):
        unit, function = key
        address = previous = None
        for i, row in enumerate(self.rows[key] + self.rows.get((unit, function + ".cold"), [])):
            mark = marks.get((n, i))
            if mark is not None:
                address = mark
            elif address is None:
                return
            else:
                address += row["offset"] - previous
            previous = row["offset"]
            self.of[address] = ((unit, row["function"]), row["offset"])


class Code(exact.Code):
    """As for programs of one unit, by key."""

    def __init__(self, plain, places, rows):
        units, shared = units_of(plain)
        found, in_unit = collections.defaultdict(set), collections.defaultdict(set)
        for file, symbols in [("", shared), *units]:
            for address, size, kind, name in symbols:
                if kind == "FUNC":
                    found[name].add((address, size))
                    in_unit[file, name].add((address, size))
        self.address, self.size, self.next, self.branches = {}, {}, {}, set()
        self.without_memory = set()
        self.ambiguous = set()
        for key, own in places.rows.items():
            unit, name = key
            # Static functions of several units may share their names.
            of_name = found[name] if len(found[name]) == 1 else in_unit[Path(unit).name, name]
            if len(of_name) != 1:
                self.ambiguous.add(key)
                continue
            self.add(key, sorted(own, key=lambda r: r["offset"]), *next(iter(of_name)))
        for row in rows:
            if re.fullmatch(r"bt[srcqlw]*\s+[%$][^()]*", row["text"]):
                self.without_memory.add(((row["unit"], row["function"]), row["offset"]))

    def add(self, key, own, start, length):
        following = None
        for row, end in reversed(list(zip(own, [r["offset"] for r in own[1:]] + [length]))):
            place = key, row["offset"]
            self.address[place], self.size[place] = start + row["offset"], end - row["offset"]
            self.next[place] = following
            if re.match(r"(j(?!mp)|loop)", row["text"].split()[0]):
                self.branches.add(place)
            following = place


def simulate(woven, arguments, stdin, profile, places, machine):
    """Runs it under lackey, whose trace is read as it is written. How often each place was executed."""
    reading, writing = os.pipe()
    command = ["valgrind", "-q", "--tool=lackey", "--trace-mem=yes", f"--log-fd={writing}", woven, *arguments]
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(command, env=environment(CHORD_OUT=profile), stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[writing])
    os.close(writing)
    own, place, executed = places.of, None, collections.Counter()
    with os.fdopen(reading, "r", buffering=1 << 20) as trace:
        for line in trace:
            if line.startswith("I "):
                place = own.get(int(line[3:line.index(",")], 16) - 0x108000)
                if place is not None:
                    executed[place] += 1
                    machine.execute(place)
            elif place is not None and line[:2] in (" L", " S", " M"):
                address, size = line[3:].split(",")
                machine.access(place, int(address, 16), int(size))
    process.wait()
    return executed


def cachegrind(plain, arguments, stdin, functions, folder):
    """What it says of these functions: (first-level data misses, instruction misses, mispredictions)."""
    out = folder / "cachegrind.out"
    subprocess.run(["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *CACHES, f"--cachegrind-out-file={out}", plain, *arguments], input=stdin, env=environment(),
                   capture_output=True, check=False)
    total, events, inside = collections.Counter(), [], False
    for line in out.read_text().splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):
            inside = line[3:].split("(")[0] in functions or line[3:] in functions
        elif inside and line[:1].isdigit():
            total.update(dict(zip(events, map(int, line.split()[1:]))))
    return total["D1mr"] + total["D1mw"], total["I1mr"], total["Bcm"]


def check(name, real, modes, options):
    arguments, stdin = INPUTS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        models = MODELS[options.models]
        plain = build(real, [], folder / "plain", options.compiler, options.level)
        metrics = "--metrics=" + ",".join(f"sim:{model}={value}" for model, value in models.items())
        chord = building.chord()
        woven = build(real, [chord, "--verify=off", metrics, f"--layout={plain}", *modes], folder / "woven", options.compiler, options.level)
        profile = str(folder / "prog.chord")
        fresh(profile)
        # The rows, with the offsets of instructions, are the same in every run: one that is not traced tells them first.
        status = subprocess.run([plain, *arguments], input=stdin, env=environment(), capture_output=True, check=False).returncode
        if subprocess.run([woven, *arguments], input=stdin, env=environment(CHORD_OUT=profile), capture_output=True, check=False).returncode != status:
            raise Failure(f"{name}: plain status {status}, woven another")
        report = [chord, "report", "--by=instruction", "--json", f"--program={woven}", profile]
        rows = json.loads(checked(report).stdout)["rows"]
        places = Places(woven, rows)
        code = Code(plain, places, rows)
        places.of = {address: place for address, place in places.of.items() if place[0] not in code.ambiguous}
        machine = exact.Machine(models, code)
        os.unlink(profile)
        executed = simulate(woven, arguments, stdin, profile, places, machine)
        rows = json.loads(checked(report).stdout)["rows"]
        missing = sum(r.get("count") or 0 for r in rows if not r.get("padding") and ((r["unit"], r["function"]), r["offset"]) not in code.address)
        wrong, unseen, totals = [], 0, collections.Counter()
        for row in rows:
            place = (row["unit"], row["function"]), row["offset"]
            if place not in code.address:
                continue
            # valgrind traces each repetition.
            if not row.get("padding") and not row["text"].startswith("rep") and (row.get("count") or 0) != executed[place]:
                unseen += 1
                wrong.append(f"  {row['function']}+{row['offset']:#x} {row['text']}: counted {row.get('count')} times, traced {executed[place]} times")
            for metric in (f"sim:{model}" for model in models):
                ours, theirs = row.get("metrics", {}).get(metric, 0), machine.found[place, metric]
                totals[metric] += ours
                if ours != theirs:
                    wrong.append(f"  {row['function']}+{row['offset']:#x} {row['text']}: {metric} {ours}, simulator {theirs}")
        theirs = cachegrind(plain, arguments, stdin, {f for _, f in places.rows}, folder)
    print(f"{name} {options.compiler} {options.level} {' '.join(modes)} {options.models}: {sum(executed.values()):,} instructions, {len(rows):,} places, {missing:,} executed in functions that are not told apart, {unseen} places not traced as often as they were counted; " +
          ", ".join(f"{metric} {totals[metric]:,}" for metric in totals) + f"; cachegrind l1d {theirs[0]:,}, l1i {theirs[1]:,}, branch {theirs[2]:,}; " +
          (f"{len(wrong)} DIFFER" if wrong else "all equal"), flush=True)
    for line in wrong[:15]:
        print(line)
    return not wrong and sum(executed.values()) > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=",".join(INPUTS))
    parser.add_argument("--modes", default="")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--models", default="usual", choices=MODELS)
    options = parser.parse_args()
    cache = fetching.cache_folder(ROOT)
    modes = [m for m in options.modes.split(",") if m]
    good = [check(name, programs.ALL[name](cache), modes, options) for name in options.programs.split(",")]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()

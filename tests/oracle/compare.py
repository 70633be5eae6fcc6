#!/usr/bin/env python3
"""Compares chord's count of every instruction with callgrind's.

Both count the same machine code: the sources are compiled to assembly once, the
plain program is assembled from it and run under callgrind, the woven one is
assembled from it through chord and run as it is. Of every woven function every
instruction must have been executed equally often; standard output, standard error
and exit status must agree as well.

    tests/oracle/compare.py gcc -O2 loops.c
    tests/oracle/compare.py --keep=/tmp/case --args="3 4" clang -O1 -fPIE -pie a.c b.s

With --step the oracle is single-stepping instead, for programs that are struck by faults.

With --core the woven program takes no fatal signals, and its counts come out of the core
file it leaves.

callgrind counts every iteration of a rep-prefixed string instruction where chord
counts the instruction once: those are compared as executed or not. Sequences that the
linker rewrites are compared as they were assembled.
"""

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import build as building  # noqa: E402
import callgrind  # noqa: E402
import stepping  # noqa: E402
from elf import Elf  # noqa: E402

VALGRIND_SLOWDOWN = 150
# A woven program is nowhere near this much slower; it hangs, if it takes so long.
WOVEN_SLOWDOWN, WOVEN_GRACE = 10, 20


class TooSlow(Exception):
    """The plain program ran longer than the case allows."""


@dataclass
class Difference:
    function: str
    offset: int
    text: str
    ours: object
    theirs: object

    def __str__(self):
        return (f"  {self.function}+{self.offset:#x}: chord {self.ours}, oracle {self.theirs}"
                f"    {self.text.strip()}")


@dataclass
class Result:
    """What a comparison found. `faults` are whole sentences; `differences` are counts."""

    functions: int = 0
    instructions: int = 0
    executed: int = 0
    skipped: dict = field(default_factory=dict)
    present: int = 0
    differences: list = field(default_factory=list)
    faults: list = field(default_factory=list)

    @property
    def good(self):
        return not self.differences and not self.faults

    def summary(self):
        return (f"{self.functions} functions, {self.instructions} instructions, {self.executed} executed, "
                f"{len(self.skipped)} of {self.present} functions skipped")

    def details(self, limit=40):
        lines = [f"  {fault}" for fault in self.faults]
        lines += [str(d) for d in self.differences[:limit]]
        if len(self.differences) > limit:
            lines.append(f"  … and {len(self.differences) - limit} further differences")
        return "\n".join(lines)


@dataclass
class Woven:
    """A function as chord reports it: {offset: (count, text)}."""

    name: str
    unit: str
    module: str
    rows: dict = field(default_factory=dict)


def run_environment(folder, side):
    # Equal length on both sides: the initial stack, and what depends on it, is alike.
    return {**building.environment(), "CHORD_OUT": str(folder / side / "counts.chord")}


def run_program(program, built, side, run, wrapper=None):
    command = ["./prog", *run.arguments]
    environment = run_environment(built.folder, side)
    options = dict(cwd=built.folder / side, env=environment, input=run.stdin, capture_output=True)
    if program.core and not wrapper:
        environment["CHORD_SIGNALS"] = "0"
        options["preexec_fn"] = allow_core_files
    try:
        if wrapper:
            return (stepping if program.stepped else callgrind).run(command, wrapper, timeout=program.seconds * VALGRIND_SLOWDOWN, **options)
        limit = program.seconds if side == "plain" else program.seconds * WOVEN_SLOWDOWN + WOVEN_GRACE
        return subprocess.run(command, check=False, timeout=limit, **options)
    except subprocess.TimeoutExpired as error:
        if side == "plain":
            raise TooSlow(f"{program.name}: longer than {program.seconds} s") from error
        raise building.BuildError(f"the woven program of {program.name} runs longer than {error.timeout} s")


def allow_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def dump_core_file(built):
    """The counts that the woven program did not write. Where the system sends core files
    elsewhere, a debugger writes one."""
    folder = built.folder / "woven"
    cores = sorted(folder.glob("core*"))
    if not cores:
        cores = [folder / "core"]
        environment = {**run_environment(built.folder, "woven"), "CHORD_SIGNALS": "0"}
        subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "-ex", f"generate-core-file {cores[0]}", "./prog"], cwd=folder,
                       env=environment, capture_output=True, check=False, timeout=120)
    if (folder / "counts.chord").exists():
        raise building.BuildError("the woven program wrote its counts itself")
    building.run_tool([building.chord(), "dump", cores[0]], cwd=folder)


def chord_json(built, *arguments):
    profile = built.folder / "woven" / "counts.chord"
    done = building.run_tool([building.chord(), *arguments, "--json", profile], cwd=built.folder / "woven")
    report = json.loads(done.stdout)
    if report.get("schema") != 1:
        raise building.BuildError(f"report has schema {report.get('schema')}, expected 1")
    return report, done.stderr


def woven_functions(rows):
    """Groups instruction rows into functions. Rows of one function stand together."""
    functions, current = [], None
    for row in rows:
        unit, module = row.get("unit", ""), row.get("module", "")
        same = current and (current.name, current.unit, current.module) == (row["function"], unit, module)
        if not same or row["offset"] in current.rows:
            current = Woven(row["function"], unit, module)
            functions.append(current)
        current.rows[row["offset"]] = (row["count"], row.get("text") or "")
    return functions


def defined_in(assembly):
    """Names of the functions that the assembly files define."""
    names = set()
    for path in assembly:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        names.update(re.findall(r"^\s*\.type\s+\"?([^\s,\"]+)\"?\s*,\s*[@%]function", text, re.M))
    return names


class Matcher:
    """Finds the plain function that a reported one is, each at most once.

    Local functions of one name are told apart by their unit; of those that share
    even that, the order of reporting is the order of addresses.
    """

    def __init__(self, elves):
        self.by_name = {}
        for module, elf in elves.items():
            for function in elf.functions:
                for name in function.names:
                    self.by_name.setdefault(name, []).append((module, function))
        self.taken = set()

    def take(self, woven):
        candidates = [c for c in self.by_name.get(woven.name, []) if (c[0], c[1].address) not in self.taken]
        if woven.module:
            candidates = [c for c in candidates if c[0] == os.path.basename(woven.module)] or candidates
        if len(candidates) > 1:
            unit = os.path.basename(woven.unit)
            candidates = [c for c in candidates if os.path.basename(c[1].unit) == unit] or candidates
        if not candidates:
            return None
        module, function = candidates[0]
        self.taken.add((module, function.address))
        return module, function


def as_assembled(woven, theirs):
    """callgrind's counts with what the linker rewrote put back. In an executable it turns
    `lea x@tlsld(%rip), %rdi; call __tls_get_addr` into one instruction, or into two of which
    the second begins elsewhere; the call ran as often as the instruction before it."""
    offsets = sorted(woven.rows)
    for before, call, after in zip(offsets, offsets[1:], [*offsets[2:], None]):
        if "__tls_get_addr" not in woven.rows[call][1] or call in theirs or before not in theirs:
            continue
        moved = [o for o in theirs if call < o and (after is None or o < after)]
        if all(theirs[o] == theirs[before] for o in moved):
            theirs = {o: c for o, c in theirs.items() if o not in moved} | {call: theirs[before]}
    return theirs


def compare_function(woven, elf, function, counts, result):
    start = function.address
    theirs = as_assembled(woven, {a - start: counts[a] for a in range(start, start + function.size) if a in counts})
    for offset in sorted(theirs.keys() | woven.rows.keys()):
        ours, text = woven.rows.get(offset, (0, "(no such instruction in the report)"))
        count = theirs.get(offset, 0)
        if ours is not None and ours != count and elf.is_repeated_string_instruction(start + offset) and bool(ours) == bool(count):
            continue
        if ours != count:
            result.differences.append(Difference(woven.name, offset, text, ours, count))
    result.functions += 1
    result.instructions += len(woven.rows)
    # A count that chord does not vouch for is null: a difference, and no part of the total.
    result.executed += sum(count or 0 for count, _ in woven.rows.values())


def skipped_functions(built):
    """{name: reason} of the functions chord left alone."""
    report, _ = chord_json(built, "report")
    return {s["function"]: s.get("reason", "") for s in report.get("skipped", [])}


def compare_counts(program, built, result):
    report, complaints = chord_json(built, "report", "--by=instruction")
    if complaints:
        result.faults.append(f"chord report says: {complaints.strip()}")
    elves = {name: Elf(built.plain(name)) for name in built.objects}
    paths = {name: str(built.plain(name)) for name in built.objects}
    parsed = None
    for index in range(len(program.runs)):
        parsed = callgrind.parse(built.folder / f"callgrind.{index}", list(paths.values()), parsed)
    counts = {name: parsed[path] for name, path in paths.items()}
    matcher = Matcher(elves)
    for woven in woven_functions(report["rows"]):
        found = matcher.take(woven)
        if found is None:
            result.faults.append(f"{woven.name} ({woven.unit}) is reported but is not in the plain program")
            continue
        compare_function(woven, elves[found[0]], found[1], counts[found[0]], result)
    if report["instructions"] != result.executed:
        result.faults.append(f"total is {report['instructions']}, but the rows sum to {result.executed}")
    if any(flag.startswith("--events") for flag in program.chord_flags):
        compare_events(built, result)
    check_presence(program, built, elves, counts, matcher, result)


def compare_events(built, result):
    """The one counter that goes along must come to the same as all counts together."""
    report, complaints = chord_json(built, "events")
    totals = {row["kind"]: row["events"] for row in report["rows"]}
    if "stopped in the middle of a block" in complaints:
        return  # not exact, and says so
    if complaints:
        result.faults.append(f"chord events says: {complaints.strip()}")
    if totals.get("instructions") != result.executed:
        result.faults.append(f"chord events counts {totals}, but the rows sum to {result.executed}")


def check_presence(program, built, elves, counts, matcher, result):
    """Every function of ours is either counted or named as skipped."""
    ours = defined_in(built.assembly)
    skipped = skipped_functions(built)
    for module, elf in elves.items():
        for function in elf.functions:
            # Copies that link-time optimisation makes have a suffix after the original's name.
            if not any(n in ours or n.split(".")[0] in ours for n in function.names):
                continue
            result.present += 1
            if (module, function.address) in matcher.taken:
                continue
            name = next((n for n in function.names if n in skipped or n.split(".cold")[0] in skipped), None)
            if name:
                result.skipped[name] = skipped.get(name) or skipped[name.split(".cold")[0]]
                continue
            ran = any(a in counts[module] for a in range(function.address, function.address + function.size))
            result.faults.append(f"{function.name} is in the program{' and ran' if ran else ''}, "
                                 "but neither counted nor listed as skipped")
    for name, reason in result.skipped.items():
        if not any(re.fullmatch(pattern, name) for pattern in program.may_skip):
            result.faults.append(f"{name} was skipped: {reason}")


def compare_runs(plain, woven, simulated, result):
    for what in ("stdout", "stderr", "returncode"):
        expected, got = getattr(plain, what), getattr(woven, what)
        if expected != got:
            result.faults.append(f"{what} differs: plain {expected[-300:] if isinstance(expected, bytes) else expected!r}, "
                                 f"woven {got[-300:] if isinstance(got, bytes) else got!r}")
        if what != "stderr" and expected != getattr(simulated, what):
            result.faults.append(f"{what} of the plain program differs under valgrind: counts cannot be compared")


def build_by_measurement(program, built):
    """Runs the woven program and builds it again by what it counted."""
    for run in program.runs:
        run_program(program, built, "woven", run)
    profile = (built.folder / "woven" / "counts.chord").rename(built.folder / "earlier.chord")
    program = replace(program, chord_flags=[*program.chord_flags, f"--weights={profile}"])
    return program, building.build(program, built.folder)


def compare(program, folder):
    """Builds, runs and compares. Raises BuildError or TooSlow if it cannot."""
    result = Result()
    built = building.build(program, folder)
    if program.measured:
        program, built = build_by_measurement(program, built)
    for index, run in enumerate(program.runs):
        plain = run_program(program, built, "plain", run)
        woven = run_program(program, built, "woven", run)
        simulated = run_program(program, built, "plain", run, wrapper=built.folder / f"callgrind.{index}")
        compare_runs(plain, woven, simulated, result)
    if program.core:
        dump_core_file(built)
    if not (built.folder / "woven" / "counts.chord").exists():
        result.faults.append("the woven program left no profile")
        return result
    compare_counts(program, built, result)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="FOLDER", help="build here and keep everything")
    parser.add_argument("--args", default="", help="arguments of the program")
    parser.add_argument("--chord-flags", default="", help="build options for chord")
    parser.add_argument("--measured", action="store_true", help="place counters by a run of a first build")
    parser.add_argument("--core", action="store_true", help="take the counts out of a core file")
    parser.add_argument("--step", action="store_true", help="single-stepping is the oracle, not callgrind")
    parser.add_argument("--direct", action="store_true", help="build from source twice, not from shared assembly")
    parser.add_argument("--all", action="store_true", help="print every difference")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMPILER FLAGS… SOURCES…")
    options = parser.parse_args()
    if len(options.command) < 2:
        parser.error("a compiler and its arguments are needed")
    rest = options.command[1:]
    sources = [a for a in rest if Path(a).suffix in building.LANGUAGES and not a.startswith("-")]
    link = [a for a in rest if a.startswith(("-l", "-Wl,", "-L"))]
    flags = [a for a in rest if a not in sources and a not in link]
    family = next((f for f, t in building.DRIVERS.items() if options.command[0] in t.values()), options.command[0])
    program = building.Program("command line", sources, family, flags, link, runs=[building.Run(shlex.split(options.args))],
                               direct=options.direct, chord_flags=shlex.split(options.chord_flags),
                               measured=options.measured, core=options.core, stepped=options.step, may_skip=[".*"])
    with tempfile.TemporaryDirectory() as scratch:
        try:
            result = compare(program, options.keep or scratch)
        except (building.BuildError, TooSlow) as error:
            print(error)
            return 1
    if not result.good:
        print(result.details(1 << 30 if options.all else 40))
    for name, reason in result.skipped.items():
        print(f"  skipped {name}: {reason}")
    print(result.summary())
    return 0 if result.good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Counts are exact whichever instruction is interrupted.

Each program of tests/interrupted/programs has a function `watched`. The plain build is
stepped through once: its original instructions, in the order they ran. The woven build is
interrupted before each instruction of `watched`, original or inserted: by a dump that the
program survives, and (--kill, and paths at -O2) by a fatal signal in a run of its own. What is reported at
each moment must be the counts of some prefix of the plain run, no shorter than the prefix
before and at most one instruction longer, from nothing to the whole. (Alignment padding
runs on its edge in the plain program; it goes with the instruction before.)

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--flags=...] [--build=...] [--kill]
"""
import argparse
import collections
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))

from variants import Failure, checked  # noqa: E402

ABI = os.path.join(HERE, "..", "..", "abi")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-O3 -mavx2")
BUILDS = ("", "--loop-counters=memory", "--counters=delta", "--counters=atomic")


def place_of(program):
    for line in checked(["nm", "-S", program]).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[3] == "watched":
            return int(words[0], 16), int(words[1], 16)
    raise Failure(f"{program}: no function `watched`")


def runtime_in(program):
    """The runtime's groups lie one after the other: the core, then those of modes."""
    places = {line.split()[-1]: line.split()[0] for line in checked(["nm", program]).stdout.splitlines()}
    bounds = [address for name, address in places.items() if name.startswith("__chord_text")]
    return f"{min(bounds)} {max(bounds)}"


def counts_in(chord, profile, program):
    text = checked([chord, "report", "--by=instruction", "--json", f"--program={program}", profile]).stdout
    counts, padding = collections.Counter(), set()
    for row in json.loads(text)["rows"]:
        if row["function"] == "watched" and row["count"] != 0:
            counts[row["offset"]] = row["count"]
            if row["text"] == "nop":
                padding.add(row["offset"])
    return counts, padding


class Prefixes:
    """Follows the plain run as far as the counts seen."""

    def __init__(self, trace):
        self.trace, self.length, self.counts = trace, 0, collections.Counter()

    def advance(self):
        if self.length < len(self.trace):
            self.counts[self.trace[self.length]] += 1
            self.length += 1

    def follow(self, seen, where):
        counts, padding = seen
        if counts == self.counts:
            return
        self.advance()
        while counts != self.counts and self.length < len(self.trace) and self.trace[self.length] in padding:
            self.advance()
        if counts != self.counts:
            wrong = {hex(o): (counts[o], self.counts[o]) for o in set(counts) | set(self.counts) if counts[o] != self.counts[o]}
            raise Failure(f"{where}, after {self.length} instructions: offset: (reported, true) {wrong}")


def dumps(args, step, woven, trace, folder):
    begin, _ = place_of(woven)
    profile = os.path.join(folder, "dumped.chord")
    settings = {**os.environ, "CHORD_OUT": profile}
    if "--context" in args.woven:  # what asks the runtime for a record is at the call until it has it
        settings["STEP_OVER"] = runtime_in(woven)
    sizes = checked([step, "dump", f"{begin:x}", profile, woven], env=settings).stdout.split()
    prefixes = Prefixes(trace)
    so_far = os.path.join(folder, "so_far.chord")
    whole = open(profile, "rb").read()
    for number, size in enumerate(sizes):
        with open(so_far, "wb") as file:
            file.write(whole[: int(size)])
        prefixes.follow(counts_in(args.chord, so_far, woven), f"dump {number}")
    # The return itself is the last step; a path that is counted in front of it takes it along.
    if prefixes.length != len(trace) - (0 if "--paths" in args.woven else 1):
        raise Failure(f"the last dump saw {prefixes.length} of {len(trace)} instructions")
    return len(sizes)


def kills(args, step, woven, trace, folder, limit):
    begin, _ = place_of(woven)
    prefixes = Prefixes(trace)
    for number in range(limit):
        profile = os.path.join(folder, "killed.chord")
        if os.path.exists(profile):
            os.remove(profile)
        checked([step, "kill", f"{begin:x}", str(number), woven], env={**os.environ, "CHORD_OUT": profile})
        prefixes.follow(counts_in(args.chord, profile, woven), f"signal {number}")


def check(args, compiler, flags, build):
    with tempfile.TemporaryDirectory() as folder:
        step, plain, woven = (os.path.join(folder, name) for name in ("step", "plain", "woven"))
        checked(["gcc", "-O1", "-I", ABI, "-o", step, os.path.join(HERE, "step.c")])
        common = [*flags.split(), "-no-pie", "-Wl,-z,now", args.program]
        # clang's own assembler may choose other encodings than the one that weaving uses.
        checked([compiler, *(["-fno-integrated-as"] if compiler == "clang" else []), *common, "-o", plain])
        checked([args.chord, "--verify", *build.split(), compiler, *common, "-o", woven])
        begin, size = place_of(plain)
        trace = checked([step, "trace", f"{begin:x}", f"{begin + size:x}", plain]).stdout.split()
        trace = [int(pc, 16) - begin for pc in trace]
        args.woven = build
        moments = dumps(args, step, woven, trace, folder)
        # What was running when a signal ended it is found in another way than for a dump.
        if args.kill or (build == "--paths" and flags == "-O2"):
            kills(args, step, woven, trace, folder, moments)
        return len(trace), moments


def processor_has(feature):
    with open("/proc/cpuinfo") as file:
        return f" {feature} " in file.read().replace("\n", " ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("program")
    parser.add_argument("--compiler")
    parser.add_argument("--flags")
    parser.add_argument("--build")
    parser.add_argument("--kill", action="store_true")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    if args.program.endswith(".S"):
        # Path numbers in frames are found by unwind rules, which vectors' do not know of pushfq.
        cases = [("gcc", "", build) for build in (*BUILDS, *([] if "vectors" in args.program else ["--paths"]))]
    else:
        cases = [(c, f, "") for c in ("gcc", "clang") if shutil.which(c) for f in LEVELS]
        cases += [("gcc", "-O2", build) for build in BUILDS[1:]]
        cases += [(c, f, b) for b in ("--paths", "--context") for c in ("gcc", "clang") if shutil.which(c) for f in ("-O0", "-O2")]
        cases += [(c, f, "--context --paths") for c, f in (("gcc", "-O2"), ("clang", "-O0")) if shutil.which(c)]
    cases = [case for case in cases if "-mavx2" not in case[1] or processor_has("avx2")]
    if os.path.basename(args.program).startswith("wide_") and not processor_has("avx2"):
        cases = []
    if args.compiler or args.flags or args.build:
        cases = [(args.compiler or "gcc", args.flags or "-O2", args.build or "")]
    failed = 0
    for compiler, flags, build in cases:
        name = f"{compiler} {flags} {build}".strip()
        try:
            instructions, moments = check(args, compiler, flags, build)
            print(f"{name}: {instructions} instructions, {moments} moments")
        except Failure as failure:
            failed += 1
            print(f"FAILED {name}: {failure}\n  repeat: {sys.argv[0]} {args.chord} {args.program} "
                  f"--compiler={compiler} --flags='{flags}' --build='{build}'")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

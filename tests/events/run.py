#!/usr/bin/env python3
"""Event queries against single-stepping.

Each program of tests/events/programs is built plain and stepped through one instruction
at a time (step.c), counting the instructions of its own text at each query; and built
with `chord --events`, where it counts itself. The sequences must be equal, thread by
thread, and so must be the totals when it ends. Budgets must stop it at the first probe at or
behind the count, with each instruction executed as often as the stepped program has by then.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))

import variants  # noqa: E402
from variants import Failure, run  # noqa: E402

LEVELS = ("-O0", "-O1", "-O2", "-O3")
SIGXCPU = 24
STUB = "unsigned long __chord_api_events(int kind) { return kind; }\n"


def symbols(path):
    """Functions of an object: name -> list of (address, size)."""
    out = {}
    for line in run(["nm", "-S", path], check=True).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tTwWuiV] (\S+)", line)
        if match:
            out.setdefault(match.group(3), []).append((int(match.group(1), 16), int(match.group(2), 16)))
    return out


class Plain:
    """The plain program, to be stepped through."""

    def __init__(self, compiler, level, flags, source, folder):
        self.folder, self.program = folder, os.path.join(folder, "plain")
        if "clang" in compiler:
            flags = [*flags, "-fno-integrated-as"]  # pads with other instructions
        unit, stub = (os.path.join(folder, name) for name in ("plain.o", "stub.o"))
        subprocess.run(["gcc", "-O2", "-c", "-xc", "-", "-o", stub], input=STUB, text=True, check=True)
        run([compiler, level, *flags, "-c", source, "-o", unit], check=True)
        run([compiler, level, *flags, "-no-pie", "-Wl,-z,now", unit, stub, "-o", self.program], check=True)
        places = symbols(self.program)
        self.functions = {}
        for name in symbols(unit):
            for address, size in places.get(name, []):
                self.functions[address] = (address + size, name)
        self.table = os.path.join(folder, "ranges")
        with open(self.table, "w") as file:
            file.writelines(f"{begin:x} {end:x} {int('.cold' not in name)}\n"
                            for begin, (end, name) in sorted(self.functions.items()))
        self.step = os.path.join(folder, "step")
        run(["gcc", "-O2", os.path.join(HERE, "step.c"), "-o", self.step], check=True)
        self.start, self.query = (places[name][0][0] for name in ("_start", "__chord_api_events"))

    def stepped(self, **settings):
        command = [self.step, f"{self.start:x}", f"{self.query:x}", self.table, self.program]
        return run(command, cwd=self.folder, env=variants.environment(**settings)).stderr.splitlines()

    def truth(self):
        """(queries by thread, total)"""
        lines = self.stepped()
        # The program itself asks on stderr, too, with answers that mean nothing: of each
        # query there are two lines, the stepper's first.
        queries, seen = {}, {}
        for line in lines:
            if not line.startswith("query"):
                continue
            _, thread, count = line.split()
            if int(count) == 0 and seen.get(thread, 0) > 0:
                seen[thread] -= 1
                continue
            queries.setdefault(int(thread), []).append(int(count))
            seen[thread] = seen.get(thread, 0) + 1
        return queries, sum(int(line.split()[2]) for line in lines if line.startswith("end"))

    def place(self, address):
        begin = max(b for b in self.functions if b <= address)
        return self.functions[begin][1], address - begin

    def calls(self):
        """(totals of call sites by (function, offset), totals of functions by name)"""
        sites, functions = {}, {}
        for line in self.stepped(STEP_CALLS="1"):
            what, *rest = line.split()
            if what in ("site", "function"):
                function, offset = self.place(int(rest[0], 16))
                if what == "site":
                    sites[function, offset] = int(rest[1])
                else:
                    functions[function] = int(rest[1])
        return sites, functions

    def executed_by(self, count):
        """(function, offset) -> how often, when the first thread has executed so many."""
        out = {}
        for line in self.stepped(STEP_UNTIL=str(count)):
            if line.startswith("ran"):
                address, times = (int(word, 16) for word in line.split()[1:])
                out[self.place(address)] = times
        return out


class Woven:
    def __init__(self, chord, compiler, level, flags, source, folder, options):
        self.chord, self.folder, self.program = chord, folder, os.path.join(folder, "woven")
        run([chord, "--verify", "--events=instructions", *options, compiler, level, *flags, source, "-o", self.program],
            check=True)

    def run(self, **settings):
        """(status, stderr, profile)"""
        profile = variants.fresh(os.path.join(self.folder, "woven.chord"))
        result = run([self.program], cwd=self.folder, env=variants.environment(**settings))
        return result.returncode, result.stderr.splitlines(), profile

    def total(self, profile):
        result = run([self.chord, "events", profile, "--json"], check=True)
        if result.stderr:
            raise Failure(f"chord events: {result.stderr}")
        (row,) = json.loads(result.stdout)["rows"]
        return row["events"]

    def report(self, profile, by="function"):
        result = run([self.chord, "report", profile, f"--by={by}", "--json"], check=True)
        if result.stderr:
            raise Failure(f"chord report: {result.stderr}")
        return json.loads(result.stdout)


def check_queries(woven, expected, total):
    _, lines, profile = woven.run()
    queries = {}
    for line in lines:
        _, thread, count = line.split()
        queries.setdefault(int(thread), []).append(int(count))
    if queries != expected:
        raise Failure(f"queries\n  stepped {expected}\n  woven   {queries}")
    if woven.total(profile) != total:
        raise Failure(f"total {woven.total(profile)}, stepped {total}")
    return profile


def stop_at(woven, budget):
    """(count told, profile) of a run with a budget; None, if it was not used up."""
    status, lines, profile = woven.run(CHORD_BUDGET=f"instructions:{budget}")
    told = [int(match.group(1)) for line in lines
            if (match := re.fullmatch(rf"chord: stopped after (\d+) instructions: the budget of {budget} is used up", line))]
    if not told and status != -SIGXCPU:
        return None, profile
    if len(told) != 1 or status != -SIGXCPU or told[0] < budget:
        raise Failure(f"budget {budget}: status {status}, {lines}")
    return told[0], profile


def check_budgets(woven, plain, largest):
    """The first probe at or behind n: a budget of what it then is stops there, too."""
    for budget in (1, largest // 3, largest * 9 // 10):
        told, profile = stop_at(woven, budget)
        if told is None:
            raise Failure(f"budget {budget} of {largest}: not stopped")
        if stop_at(woven, told)[0] != told:
            raise Failure(f"budget {budget} stops at {told}, budget {told} at {stop_at(woven, told)[0]}")
        later = stop_at(woven, told + 1)[0]
        if later is not None and later <= told:
            raise Failure(f"budget {told + 1} stops at {later}")
        told, profile = stop_at(woven, budget)
        if woven.total(profile) != told:
            raise Failure(f"stopped at {told}, but the profile has {woven.total(profile)}")
        executed = {(row["function"], row["offset"]): row["count"] for row in woven.report(profile, "instruction")["rows"]
                    if row["count"]}
        stepped = plain.executed_by(told)
        if executed != stepped:
            raise Failure(f"stopped at {told}: executed {executed}\n  stepped {stepped}")


def check_calls(woven, plain):
    """What each call and each function took with all it called, under recursion once."""
    _, _, profile = woven.run()
    sites, functions = plain.calls()
    rows = {}
    for by in ("function", "callsite"):
        result = run([woven.chord, "events", profile, f"--by={by}", "--json"], check=True)
        if result.stderr:
            raise Failure(f"chord events --by={by}: {result.stderr}")
        rows[by] = json.loads(result.stdout)["rows"]
    got = {row["function"]: row["inclusive"] for row in rows["function"] if row["inclusive"]}
    if got != functions:
        raise Failure(f"functions with all they call\n  stepped {functions}\n  woven   {got}")
    for row in rows["callsite"]:
        # A call into plain code alone took the call itself, which is its caller's.
        if row["inclusive"] != sites.get((row["function"], row["offset"]), 0):
            raise Failure(f"call at {row}: stepped {sites.get((row['function'], row['offset']), 0)}")
    if len(rows["callsite"]) < len(sites):
        raise Failure(f"{len(sites)} calls took something, {len(rows['callsite'])} are reported")


def check(chord, source, compiler, level, variant, folder):
    flags = [variants.INCLUDE] + re.findall(r"flags: (.*?) *\*/", open(source).read())
    plain = Plain(compiler, level, flags, source, folder)
    expected, total = plain.truth()
    if not expected:
        raise Failure("the stepped program made no query")
    build = lambda *options: Woven(chord, compiler, level, flags, source, folder, options)
    check_queries(build(), expected, total)
    # With block counters, or paths, beside them, the totals must agree with those, too.
    for options in (["--paths"], ["--context", "--paths"], ["--place=optimal"], ["--context", "--budget"], ["--place=optimal", "--budget"]):
        woven = build(*options)
        profile = check_queries(woven, expected, total)
        if woven.report(profile)["instructions"] != total:
            raise Failure(f"{options}: the block counters say {woven.report(profile)['instructions']}, stepped {total}")
    # Threads may be stopped together: tests/e2e/events/budget.sh.
    if len(expected) == 1:
        check_budgets(woven, plain, expected[0][-1])
    check_calls(build("--callsites"), plain)


variants.main(LEVELS, check)

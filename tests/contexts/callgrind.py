#!/usr/bin/env python3
"""Calling contexts against callgrind --separate-callers.

callgrind keeps the functions above each function apart, as many as it is told. Its chains hold names, not places of calls, and library functions, too:
contexts are added up by the names of their chains, and functions that chord did not weave are passed over in callgrind's. Then of every chain calls, own
instructions and inclusive ones must be the same; from callgrind's inclusive cost what libraries took below the chain is subtracted.

Programs that recurse are folded otherwise, and stacks that are left by longjmp, exceptions or switches are known to callgrind only by the stack pointer:
those are compared with single-stepping (run.py).

usage: callgrind.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
sys.path.insert(0, os.path.join(HERE, "../paths"))

import variants  # noqa: E402
from run import rows_of  # noqa: E402
from variants import Failure, checked, environment, fresh  # noqa: E402

LEVELS = ("-O0", "-O2")
# Deeper than any chain here, libraries included.
MOST_CALLERS = 60


class Costs:
    def __init__(self):
        self.own, self.calls, self.inclusive = collections.Counter(), collections.Counter(), collections.Counter()


def read_callgrind(path):
    """By callgrind's chain, the outermost first."""
    costs, at, callee = Costs(), None, None
    with open(path) as file:
        for line in file:
            if match := re.match(r"(c?fn)=(.*)", line):
                chain = tuple(reversed(match[2].split("'")))
                if match[1] == "fn":
                    at = chain
                else:
                    callee = chain
            elif match := re.match(r"calls=(\d+)", line):
                costs.calls[callee] += int(match[1])
            elif match := re.match(r"[0-9+*-]\S* (\d+)$", line):
                if callee is not None:
                    costs.inclusive[callee] += int(match[1])
                    callee = None
                else:
                    costs.own[at] += int(match[1])
    if any(len(chain) > MOST_CALLERS for chain in costs.own):
        raise Failure("a chain is longer than what callgrind keeps apart")
    return costs


def passed_over(costs, functions):
    """The same of woven functions alone: (calls, own, inclusive) by chain."""
    short = {chain: tuple(name for name in chain if name in functions) for chain in costs.own.keys() | costs.calls.keys()}
    foreign = collections.Counter()  # what libraries took below each chain
    for chain, own in costs.own.items():
        if chain[-1] not in functions:
            for at in range(len(chain)):
                if chain[at] in functions:
                    foreign[chain[:at + 1]] += own
    out = collections.defaultdict(lambda: (0, 0, 0))
    for chain, names in short.items():
        if chain[-1] in functions:
            found = costs.calls[chain], costs.own[chain], costs.inclusive[chain] - foreign[chain]
            out[names] = tuple(map(sum, zip(out[names], found)))
    return dict(out)


def counted(rows):
    by_id, out = {row["id"]: row for row in rows}, collections.defaultdict(lambda: (0, 0, 0))
    for row in rows:
        chain, at = [], row
        while at is not None:
            chain.append(at["function"])
            at = by_id.get(at["parent"])
        if len(set(chain)) < len(chain):
            raise Failure("it recurses")
        key = tuple(reversed(chain))
        out[key] = tuple(map(sum, zip(out[key], (row["calls"], row["exclusive"], row["inclusive"]))))
    return dict(out)


def check(chord, source, compiler, level, _variant, folder):
    woven, plain, costs = (os.path.join(folder, n) for n in ("woven", "plain", "costs"))
    profile = fresh(os.path.join(folder, "woven.chord"))
    build = [compiler, level, *variants.flags_of(source), "-no-pie", source]
    whole = ["-static-libgcc", "-static-libstdc++"] if source.endswith(".cc") else ["-static"]
    checked([*build, *whole, "-o", plain])
    checked([chord, "--verify", "--context", *build, "-o", woven])
    checked([woven], cwd=folder, env=environment())
    checked(["valgrind", "-q", "--tool=callgrind", f"--separate-callers={MOST_CALLERS}", "--compress-strings=no", "--compress-pos=no", "--demangle=no",
             f"--callgrind-out-file={costs}", plain], cwd=folder, env=environment() | {"LD_BIND_NOW": "1"})
    got = counted(rows_of(folder, chord, "contexts", profile))
    expected = passed_over(read_callgrind(costs), {chain[-1] for chain in got})
    wrong = [key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key)]
    if not expected or wrong:
        shown = "\n".join(f"  {' > '.join(key)}: callgrind {expected.get(key)}, counted {got.get(key)}" for key in sorted(wrong)[:12])
        raise Failure(f"{len(wrong)} of {len(expected)} chains differ (calls, own, inclusive)\n{shown}")
    return f"{sum(calls for calls, _, _ in expected.values())} calls in {len(expected)} chains"


if __name__ == "__main__":
    variants.main(LEVELS, check)

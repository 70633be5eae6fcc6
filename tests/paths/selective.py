#!/usr/bin/env python3
"""Chosen paths against all paths.

Each program is built with `--paths`; of its profile several selections are made, and a build
for each must count every path chosen as often as the first build did, one counter per choice,
and behave alike. Programs whose threads or signals make two runs differ are compared only in
behaviour and in which paths are listed.

usage: selective.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../oracle"))

import variants  # noqa: E402
from variants import Failure, environment, fresh  # noqa: E402
from variants import checked as run  # noqa: E402

LEVELS = ("-O0", "-O2")
RULES = (["--top=5"], ["--random=3", "--seed=7"], ["--uncovered"])


class Program:
    def __init__(self, chord, command, folder):
        self.chord, self.command, self.folder = chord, command, folder

    def outcome(self, options, name):
        """Builds and runs it; its status and output."""
        program = os.path.join(self.folder, name)
        profile = fresh(program + ".chord")
        built = run([self.chord, "--verify", *options, *self.command, "-o", program])
        refused = [line for line in built.stderr.splitlines() if "chosen paths are not counted" in line]
        if refused:
            raise Failure("\n".join(refused))
        # Both builds run under one name: some programs print theirs.
        result = variants.run(["prog"], executable=program, cwd=self.folder, env=environment(CHORD_OUT=profile))
        return result.returncode, result.stdout

    def counts(self, name):
        """By function, shape and number: how often the path ran."""
        profile = os.path.join(self.folder, name + ".chord")
        if not os.path.exists(profile):
            return {}
        def rows(*options):
            return json.loads(run([self.chord, "paths", profile, "--json", *options], cwd=self.folder).stdout)["rows"]
        counts = {}
        for row in rows():
            if row["end"] != "partial":
                key = row["function"], row["path"]
                counts[key] = counts.get(key, 0) + row["count"]
        return counts


def numbers_of(selection):
    """The paths that are listed, and functions of which all are chosen, for they are too many to list."""
    chosen, whole = set(), set()
    for line in open(selection):
        words = line.split()
        if not words or words[0].startswith("#") or words[1] == "none":
            continue
        if words[1] == "*":
            whole.add(words[0])
            continue
        for part in words[1].split(","):
            first, _, last = part.partition("-")
            chosen.update((words[0], n) for n in range(int(first), int(last or first) + 1))
    return chosen, whole


def check(chord, source, compiler, level, _variant, folder):
    program = Program(chord, [compiler, level, *variants.flags_of(source), source], folder)
    first = program.outcome(["--paths"], "full")
    full = program.counts("full")
    steady = program.outcome(["--paths"], "again") == first and program.counts("again") == full
    checked = 0
    for rule in RULES:
        selection = os.path.join(folder, "selection")
        run([chord, "paths", "select", os.path.join(folder, "full.chord"), *rule, "-o", selection], cwd=folder)
        chosen, whole = numbers_of(selection)
        if not chosen and not whole:
            continue
        outcome = program.outcome([f"--paths={selection}"], "some")
        if steady and outcome != first:
            raise Failure(f"{rule}: behaves differently: {first[0]} {outcome[0]}\n{first[1]}{outcome[1]}")
        some = program.counts("some")
        chosen |= {key for counts in (full if steady else {}, some) for key in counts if key[0] in whole}
        if set(some) != chosen:
            raise Failure(f"{rule}: listed and chosen differ: {sorted(set(some) ^ chosen)[:8]}")
        wrong = [key for key in sorted(chosen) if steady and some[key] != full.get(key, 0)]
        if wrong:
            shown = "\n".join(f"  {key}: {full.get(key, 0)} of all paths, {some[key]} alone" for key in wrong[:12])
            raise Failure(f"{rule}: {len(wrong)} of {len(chosen)} paths differ\n{shown}")
        checked += len(chosen)
    return f"{checked} chosen paths{'' if steady else ', runs differ'}"


variants.main(LEVELS, check)

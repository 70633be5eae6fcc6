#!/usr/bin/env python3
"""Chosen paths against all paths.

Each program is built with `--paths`; of its profile several selections are made, and a build
for each must count every path chosen as often as the first build did, one counter per choice,
and behave alike. Programs whose threads or signals make two runs differ are compared only in
behaviour and in which paths are listed.

usage: selective.py CHORD PROGRAM... [--compiler=gcc|clang] [--level=-O2]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

COMPILERS = {".c": ("gcc", "clang"), ".cc": ("g++", "clang++")}
LEVELS = ("-O0", "-O2")
RULES = (["--top=5"], ["--random=3", "--seed=7"], ["--uncovered"])


class Failure(Exception):
    pass


def run(command, check=True, **options):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=280, **options)
    if check and result.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result


def flags_of(source):
    groups = re.findall(r"(?:suite-)?(?:flags|link): (.*?) *(?:\*/|$)", open(source).read(), re.M)
    return [word for group in groups for word in group.split()]


class Program:
    def __init__(self, chord, command, folder):
        self.chord, self.command, self.folder = chord, command, folder
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CHORD")}

    def outcome(self, options, name):
        """Builds and runs it; its status and output."""
        program, profile = (os.path.join(self.folder, n) for n in (name, name + ".chord"))
        if os.path.exists(profile):
            os.unlink(profile)
        built = run([self.chord, "--verify", *options, *self.command, "-o", program])
        refused = [line for line in built.stderr.splitlines() if "chosen paths are not counted" in line]
        if refused:
            raise Failure("\n".join(refused))
        # Both builds run under one name: some programs print theirs.
        result = run(["prog"], executable=program, check=False, cwd=self.folder,
                     env=dict(self.environment, CHORD_OUT=profile))
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
    chosen = set()
    for line in open(selection):
        words = line.split()
        if not words or words[0].startswith("#") or words[1] == "none":
            continue
        for part in words[1].split(","):
            first, _, last = part.partition("-")
            chosen.update((words[0], n) for n in range(int(first), int(last or first) + 1))
    return chosen


def check(chord, compiler, level, source, folder):
    program = Program(chord, [compiler, level, *flags_of(source), source], folder)
    first = program.outcome(["--paths"], "full")
    full = program.counts("full")
    steady = program.outcome(["--paths"], "again") == first and program.counts("again") == full
    checked = 0
    for rule in RULES:
        selection = os.path.join(folder, "selection")
        run([chord, "paths", "select", os.path.join(folder, "full.chord"), *rule, "-o", selection], cwd=folder)
        chosen = numbers_of(selection)
        if not chosen:
            continue
        outcome = program.outcome([f"--paths={selection}"], "some")
        if steady and outcome != first:
            raise Failure(f"{rule}: behaves differently: {first[0]} {outcome[0]}\n{first[1]}{outcome[1]}")
        some = program.counts("some")
        if set(some) != chosen:
            raise Failure(f"{rule}: listed and chosen differ: {sorted(set(some) ^ chosen)[:8]}")
        wrong = [key for key in sorted(chosen) if steady and some[key] != full.get(key, 0)]
        if wrong:
            shown = "\n".join(f"  {key}: {full.get(key, 0)} of all paths, {some[key]} alone" for key in wrong[:12])
            raise Failure(f"{rule}: {len(wrong)} of {len(chosen)} paths differ\n{shown}")
        checked += len(chosen)
    return checked, steady


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--compiler")
    parser.add_argument("--level")
    options = parser.parse_args()
    chord, failures = os.path.realpath(options.chord), 0
    with tempfile.TemporaryDirectory() as folder:
        for source in map(os.path.realpath, options.programs):
            for compiler in COMPILERS[os.path.splitext(source)[1]]:
                for level in LEVELS:
                    if options.compiler not in (None, compiler) or options.level not in (None, level):
                        continue
                    where = f"{os.path.basename(source)} {compiler} {level}"
                    try:
                        checked, steady = check(chord, compiler, level, source, folder)
                        print(f"{where}: {checked} chosen paths{'' if steady else ', runs differ'}")
                    except Failure as failure:
                        failures += 1
                        print(f"{where}: {failure}")
                        print(f"again: {sys.argv[0]} {chord} {source} --compiler={compiler} --level={level}")
    sys.exit(1 if failures else 0)


main()

#!/usr/bin/env python3
"""The paths of a real program, divided among instances (`chord paths split`).

    tests/real/instances.py [lua] [--instances=16] [--compiler=gcc] [--size=4]

Builds the program with --paths and once for each instance with its part of the paths, runs
all on the same input and compares: together the instances must have counted every path as often
as the one build that counts them all, and do what it does. Prints the instructions
each executes over those of the plain program.
"""

import argparse
import concurrent.futures
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle")]

import programs  # noqa: E402
import build as building  # noqa: E402
import fetch as fetching  # noqa: E402
from variants import environment  # noqa: E402


class Instance:
    """One build: `options` of chord, or None for the plain compiler."""

    def __init__(self, real, compiler, options, folder):
        self.real, self.compiler, self.options, self.folder = real, compiler, options, folder
        self.profile = folder / "counts.chord"

    def build(self):
        self.folder.mkdir()
        program = building.Program(self.real.name, self.real.sources, self.compiler)
        prefix = [] if self.options is None else [building.chord(), *self.options]
        sources = [(s, program.driver(building.LANGUAGES[s.suffix])) for s in self.real.sources]
        objects = []
        for index, (source, driver) in enumerate(sources):
            objects.append(self.folder / f"{index}.o")
            self.call([*prefix, driver, "-O2", "-w", *self.real.flags, "-c", source, "-o", objects[-1]])
        self.call([*prefix, program.linker_driver(), *objects, "-o", "prog", *self.real.link])

    def call(self, command, **options):
        done = subprocess.run([str(c) for c in command], cwd=self.folder, capture_output=True, check=False, **options)
        if done.returncode != 0 or b"not counted" in done.stderr:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr.decode(errors='replace')}")
        return done

    def run(self, size):
        """Outputs of all runs, and the instructions they took in all."""
        outputs, executed = [], 0
        for run in self.real.runs(size):
            trace = self.folder / "callgrind.out"
            done = self.call(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={trace}", "./prog", *run.arguments],
                             input=run.stdin, env=environment(CHORD_OUT=str(self.profile)))
            executed += int(re.search(r"^(?:summary|totals): (\d+)", trace.read_text(), re.M)[1])
            outputs.append(done.stdout)
        return outputs, executed


def counts_of(profiles):
    """How often each path ran, by function and number."""
    done = subprocess.run([building.chord(), "paths", "--json", *profiles], capture_output=True, check=True)
    counts = {}
    for row in json.loads(done.stdout)["rows"]:
        if row["end"] != "partial" and row["count"] != 0:
            key = row["function"], row["path"]
            counts[key] = counts.get(key, 0) + row["count"]
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="lua", choices=list(programs.ALL))
    parser.add_argument("--instances", type=int, default=16)
    parser.add_argument("--compiler", choices=["gcc", "clang"], default="gcc")
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    real = programs.ALL[options.program](fetching.cache_folder(HERE.parent.parent))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = Instance(real, options.compiler, None, folder / "plain")
        full = Instance(real, options.compiler, ["--paths"], folder / "full")
        for instance in (plain, full):
            instance.build()
        expected, base = plain.run(options.size)
        outputs, full_cost = full.run(options.size)
        assert outputs == expected, "the build that counts all paths behaves differently"
        full.call([building.chord(), "paths", "split", "-n", options.instances, full.profile, "-o", folder / "part"])
        parts = [Instance(real, options.compiler, [f"--paths={folder}/part.{n}"], folder / f"part{n}")
                 for n in range(1, options.instances + 1)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(Instance.build, parts))
            results = list(pool.map(lambda part: part.run(options.size), parts))
        assert all(outputs == expected for outputs, _ in results), "an instance behaves differently"
        whole, together = counts_of([full.profile]), counts_of([p.profile for p in parts])
        wrong = sorted(key for key in {*whole, *together} if whole.get(key) != together.get(key))
        for key in wrong[:12]:
            print(f"{key}: {whole.get(key, 0)} of all paths, {together.get(key, 0)} of {options.instances} instances")
        costs = [cost / base for _, cost in results]
        print(f"{real.name} {options.compiler} -O2: {len(whole)} paths ran, {sum(whole.values())} times; {len(wrong)} differ")
        print(f"instructions over plain: all paths {full_cost / base:.3f}; {options.instances} instances "
              f"{min(costs):.3f} to {max(costs):.3f}, median {statistics.median(costs):.3f}")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

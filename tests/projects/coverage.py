#!/usr/bin/env python3
"""Coverage of whole projects by their own test suites: what chord says at -O0 is what gcov says.

    tests/projects/coverage.py jansson grep

Builds each twice at -O0, with chord and with gcc --coverage, runs its tests on both, and compares every line of the project's
files that both know: did it run, and how often. Sources come from Debian (fetch.py of tests/real).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import fetch as fetching  # noqa: E402
import projects  # noqa: E402
import run as running  # noqa: E402


def unoptimised(commands):
    return [[word.replace("=RelWithDebInfo", "=Debug") for word in words] for words in commands]


def side(name, project, source, folder, jobs):
    # Building may have run what it built; coverage is that of the tests. (run.py removes chord's profiles.)
    forget = ["find", ".", "-name", "*.gcda", "-delete"]
    changed = replace(project, configure=unoptimised(project.configure), build=[*project.build, forget])
    made = running.Side("woven" if name == "woven" else "plain", changed, source, folder, jobs)
    extra = "" if name == "woven" else " --coverage"
    made.environment |= {"CFLAGS": "-O0 -g" + extra, "CXXFLAGS": "-O0 -g" + extra, "LDFLAGS": extra.strip()}
    return made


def lines_of_gcov(made):
    """file -> line -> count, and lines of which gcov itself says that a part never ran."""
    found, partly = {}, set()
    for data in sorted(made.build.rglob("*.gcda")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", data], capture_output=True, text=True, check=True, cwd=made.build)
        for unit in map(json.loads, done.stdout.splitlines()):
            for file in unit["files"]:
                path = os.path.realpath(os.path.join(unit["current_working_directory"], file["file"]))
                lines = found.setdefault(path, {})
                for line in file["lines"]:
                    lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
                    if line["unexecuted_block"] and line["count"] > 0:
                        partly.add((path, line["line_number"]))
    return found, partly


def lines_of_chord(made):
    chord = Path(made.compilers[0]).parent / "chord"
    done = subprocess.run([chord, "export", "lcov", made.profiles], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise running.Failure(f"export: {done.stderr[-500:]}")
    found, lines = {}, {}
    for text in done.stdout.splitlines():
        if text.startswith("SF:"):
            lines = found.setdefault(os.path.realpath(text[3:]), {})
        elif match := re.match(r"DA:(\d+),(\d+)", text):
            lines[int(match[1])] = lines.get(int(match[1]), 0) + int(match[2])
    return found


def in_project(path, made, source):
    for folder in (made.build, source):
        if Path(path).is_relative_to(folder.resolve()):
            return str(Path(path).relative_to(folder.resolve()))
    return None


def of_project(found, made, source):
    """By the name in the project; a source that is in several objects is in `found` once."""
    return {name: lines for path, lines in found.items() if (name := in_project(path, made, source))}


def compare(theirs, partly, ours):
    """Prints what agrees. Returns lines about which they disagree, and how many of them chord missed: gcov says that they ran, and
    not that a block of theirs never did. (gcov has no counts of processes that abort.)"""
    files = sorted(theirs.keys() & ours.keys())
    shared = [(file, line) for file in files for line in sorted(theirs[file].keys() & ours[file].keys())]
    ran = sum(theirs[file][line] > 0 for file, line in shared)
    often = sum(theirs[file][line] == ours[file][line] for file, line in shared)
    differing = [(file, line) for file, line in shared if (theirs[file][line] > 0) != (ours[file][line] > 0)]
    by_gcov = [(file, line) for file, line in differing if theirs[file][line] > 0]
    missed = [place for place in by_gcov if place not in partly]
    only = [sum(len(one[file].keys() - other[file].keys()) for file in files) for one, other in ((theirs, ours), (ours, theirs))]
    print(f"  {len(files)} files, {len(shared)} lines that both know, {ran} of them ran by gcov: {len(shared) - len(differing)} agree on whether, {often} on how often")
    print(f"  ran by chord alone: {len(differing) - len(by_gcov)}; by gcov alone: {len(by_gcov)}, {len(by_gcov) - len(missed)} of them with a block that never did")
    print(f"  {only[0]} lines only gcov knows, {only[1]} only chord", flush=True)
    return [f"  {file}:{line}: gcov {theirs[file][line]}, chord {ours[file][line]}" for file, line in differing], len(missed)


def check(name, options):
    project = projects.ALL[name]
    source = fetching.fetch(project.package, fetching.cache_folder(running.ROOT))
    folder = running.ROOT / "build" / "projects" / f"{name}-coverage"
    sides = {kind: side(kind, project, source, folder, options.jobs) for kind in ("gcov", "woven")}
    for made in sides.values():
        made.go()
    print(f"{name}:")
    found, partly = lines_of_gcov(sides["gcov"])
    named = {(in_project(path, sides["gcov"], source), line) for path, line in partly}
    ours = of_project(lines_of_chord(sides["woven"]), sides["woven"], source)
    differing, missed = compare(of_project(found, sides["gcov"], source), named, ours)
    print("\n".join(differing[:40]))
    if not options.keep:
        shutil.rmtree(folder)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="+", choices=list(projects.ALL), metavar="NAME")
    options = parser.parse_args()
    return 1 if sum(check(name, options) for name in options.names) else 0


if __name__ == "__main__":
    sys.exit(main())

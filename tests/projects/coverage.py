#!/usr/bin/env python3
"""Coverage of whole projects by their own test suites: what chord says at -O0 is what gcov says.

    tests/projects/coverage.py jansson grep

Builds each twice at -O0, with chord and with gcc --coverage, runs its tests on both, and compares every line of the project's
files that both know: did it run, and, where no test is a race, how often. Sources come from Debian (fetch.py of tests/real).
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
    made = running.Side("woven" if name == "woven" else "plain", replace(project, configure=unoptimised(project.configure)), source, folder, jobs)
    extra = "" if name == "woven" else " --coverage"
    made.environment |= {"CFLAGS": "-O0 -g" + extra, "CXXFLAGS": "-O0 -g" + extra, "LDFLAGS": extra.strip()}
    return made


def lines_of_gcov(made):
    """file -> line -> count."""
    words = ["gcovr", "--json", "-r", "/", "--filter", ".*", "--gcov-ignore-parse-errors", str(made.build)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=made.build)
    if done.returncode != 0:
        raise running.Failure(f"gcovr: {done.stderr[-500:]}")
    found = {}
    for file in json.loads(done.stdout)["files"]:
        lines = found.setdefault(os.path.realpath("/" + file["file"]), {})
        for line in file["lines"]:
            if not line.get("gcovr/noncode"):
                lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
    return found


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
    out = {}
    for path, lines in found.items():
        if name := in_project(path, made, source):
            out.setdefault(name, {}).update(lines)
    return out


def compare(theirs, ours):
    """Prints what agrees; returns lines of which one says that they ran and the other that they did not."""
    shared = ran = counted = 0
    differing, only_gcov, only_chord = [], 0, 0
    for file in sorted(theirs.keys() & ours.keys()):
        for line in sorted(theirs[file].keys() | ours[file].keys()):
            if line not in ours[file]:
                only_gcov += 1
            elif line not in theirs[file]:
                only_chord += 1
            else:
                a, b = theirs[file][line], ours[file][line]
                shared, ran, counted = shared + 1, ran + (a > 0), counted + (a == b)
                if (a > 0) != (b > 0):
                    differing.append(f"  {file}:{line}: gcov {a}, chord {b}")
    print(f"  {len(theirs.keys() & ours.keys())} files, {shared} lines that both know, {ran} ran by gcov; {shared - len(differing)} agree on whether, "
          f"{counted} on how often; {only_gcov} lines only gcov knows, {only_chord} only chord; "
          f"{len(theirs.keys() - ours.keys())} files only gcov knows, {len(ours.keys() - theirs.keys())} only chord", flush=True)
    return differing


def check(name, options):
    project = projects.ALL[name]
    source = fetching.fetch(project.package, fetching.cache_folder(running.ROOT))
    folder = running.ROOT / "build" / "projects" / f"{name}-coverage"
    sides = {kind: side(kind, project, source, folder, options.jobs) for kind in ("gcov", "woven")}
    for made in sides.values():
        made.go()
    print(f"{name}:")
    differing = compare(of_project(lines_of_gcov(sides["gcov"]), sides["gcov"], source), of_project(lines_of_chord(sides["woven"]), sides["woven"], source))
    print("\n".join(differing[:40]))
    if not options.keep:
        shutil.rmtree(folder)
    return len(differing)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="+", choices=list(projects.ALL), metavar="NAME")
    options = parser.parse_args()
    return 1 if sum(check(name, options) for name in options.names) else 0


if __name__ == "__main__":
    sys.exit(main())

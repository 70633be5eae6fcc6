#!/usr/bin/env python3
"""Whole projects, built plain and with chord: every one of their own tests has the same result, and one report answers for
all that their test suites ran.

    tests/projects/run.py                 all of them (hours)
    tests/projects/run.py grep leveldb    these
    tests/projects/run.py grep --keep     leaves the folders

Prints a row for each: time of configuring, building and testing, size of objects, tests, and how long one report over the
profiles takes. Sources come from the machine's Debian archives and stay in build/real (CHORD_CACHE).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import fetch as fetching  # noqa: E402
import projects  # noqa: E402


class Failure(Exception):
    """Named for the reader; the log has the rest."""


def keep_generated(folder):
    """Debian's patches make sources of build scripts newer than what was made from them; nothing is to be made again."""
    generated = [path for path in folder.rglob("*") if path.name in ("configure", "config.h.in", "config.hin", "Makefile.in")]
    for age, paths in ((2, folder.rglob("aclocal.m4")), (1, generated)):
        for path in paths:
            os.utime(path, times=(time.time() - age, time.time() - age))


class Side:
    """One of the two builds of a project: plain or woven."""

    def __init__(self, name, project, source, folder, jobs):
        self.project, self.folder, self.jobs = project, folder / name, jobs
        self.source, self.build = source, self.folder / "build"
        woven = name == "woven"
        chord = Path(os.environ.get("CHORD", ROOT / "build" / "bin" / "chord")).resolve()
        # Single words, as configure scripts want them.
        self.compilers = [str(chord.parent / f"chord-{c}") if woven else c for c in ("gcc", "g++")]
        self.profiles = self.folder / "profiles"
        self.environment = os.environ | {"CC": self.compilers[0], "CXX": self.compilers[1], "LC_ALL": "C"}
        self.environment.pop("CHORD_OUT", None)
        if woven:
            self.environment["CHORD_FLAGS"] = f"--out={self.profiles}/"
        self.seconds = {}
        self.log = self.folder / "log"

    def run(self, step, commands, must_work):
        start = time.monotonic()
        output = ""
        for words in commands:
            filled = [w.format(source=self.source, build=self.build, jobs=self.jobs, cc=self.compilers[0], cxx=self.compilers[1])
                      for w in words]
            if shutil.which(filled[0], path=self.environment.get("PATH")) is None and not (self.build / filled[0]).exists():
                raise Failure(f"{step}: {filled[0]} is not installed")
            done = subprocess.run(filled, cwd=self.build, env=self.environment, text=True, errors="replace", check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output += done.stdout
            with open(self.log, "a", encoding="utf-8") as log:
                log.write(f"$ {' '.join(filled)}\n{done.stdout}\n")
            if done.returncode != 0 and must_work:
                raise Failure(f"{step}: {' '.join(filled)}: status {done.returncode}; see {self.log}")
        self.seconds[step] = time.monotonic() - start
        return output

    def go(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.project.outside:
            self.build.mkdir()
        else:
            shutil.copytree(self.source, self.build, symlinks=True)
            keep_generated(self.build)
        self.run("configure", self.project.configure, True)
        self.run("build", self.project.build, True)
        self.objects = projects.size_of(self.build, {".o", ".lo"})
        # Building may have run what it built; the report is about the tests.
        shutil.rmtree(self.profiles, ignore_errors=True)
        output = self.run("check", self.project.check, False)
        self.results = self.project.results(self.build, output)
        if not self.results:
            raise Failure(f"check: no test has a result; see {self.log}")


def differences(plain, woven):
    return [f"  {name}: plain {plain.get(name, 'absent')}, woven {woven.get(name, 'absent')}"
            for name in sorted(plain.keys() | woven.keys()) if plain.get(name) != woven.get(name)]


def report(side):
    """Seconds one report over all profiles takes, and what it says."""
    chord = Path(side.compilers[0]).parent / "chord"
    start = time.monotonic()
    words = [chord, "report", side.profiles, "--by=file", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"report: {done.stderr.strip()}")
    return time.monotonic() - start, json.loads(done.stdout)


def show(name, plain, woven):
    seconds, found = report(woven)
    size = sum(path.stat().st_size for path in woven.profiles.rglob("*.chord"))
    programs = found.get("programs", [found])
    print(f"{name}: {len(plain.results)} tests, the same results")
    for step in ("configure", "build", "check"):
        before, after = plain.seconds[step], woven.seconds[step]
        print(f"  {step:9} {before:8.1f} s plain {after:8.1f} s woven  {after / max(before, 0.001):.2f}")
    if plain.objects:
        print(f"  {'objects':9} {plain.objects / 1e6:7.1f} MB plain {woven.objects / 1e6:7.1f} MB woven  {woven.objects / plain.objects:.2f}")
    print(f"  report    {seconds:8.2f} s over {size / 1e6:.1f} MB of profiles: {len(programs)} programs, "
          f"{sum(p.get('runs', 0) for p in programs)} runs, {found['instructions']} instructions, exact: {found['exact']}", flush=True)


def check(name, options):
    project = projects.ALL[name]
    source = fetching.fetch(project.package, fetching.cache_folder(ROOT))
    folder = ROOT / "build" / "projects" / name
    sides = [Side(side, project, source, folder, options.jobs) for side in ("plain", "woven")]
    for side in sides:
        side.go()
    plain, woven = sides
    differing = differences(plain.results, woven.results)
    if differing:
        raise Failure("these tests have another result:\n" + "\n".join(differing))
    show(name, plain, woven)
    if not options.keep:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true", help="leave the folders in build/projects; they stay after a failure, too")
    parser.add_argument("names", nargs="*", choices=[[], *projects.ALL], metavar="NAME", help=", ".join(projects.ALL))
    options = parser.parse_args()
    failed = 0
    for name in options.names or projects.ALL:
        try:
            check(name, options)
        except Failure as why:
            needs = " ".join(projects.ALL[name].needs)
            print(f"{name}: {why}" + (f"\n  (Debian packages it needs: {needs})" if needs else ""), flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

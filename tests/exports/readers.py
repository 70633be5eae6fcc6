#!/usr/bin/env python3
"""Every export of every program of the suite, given to the tool it is for: that accepts it, and its totals are those of the report.

    tests/exports/readers.py CHORD                  all programs (some minutes)
    tests/exports/readers.py CHORD loops templates  those whose names contain one of these

Programs are built with --context and -O2 -g. Readers: genhtml, gcovr, xmllint, callgrind_annotate, sqlite3, protoc; formats whose
readers are pages (speedscope, Firefox's profiler) are opened in a browser by tests/html/readers.sh, and only added up here.
"""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
SCHEMAS = TESTS / "exports" / "schemas"
sys.path.insert(0, str(TESTS / "oracle"))

import build as building  # noqa: E402


class Refused(Exception):
    """What a reader did not like, or where it differs."""


def suite():
    """tests/suite/run.py, which knows the programs."""
    spec = importlib.util.spec_from_file_location("suite_run", TESTS / "suite" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*words, stdin=None, folder=None):
    done = subprocess.run([str(w) for w in words], input=stdin, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, words))}: {(done.stdout + done.stderr).decode(errors='replace')[-600:]}")
    return done.stdout.decode(errors="replace")


def same(what, ours, theirs):
    if ours != theirs:
        raise Refused(f"{what}: the report has {ours}, the reader {theirs}")


class Profile:
    """One program, built and run, with what its reports say."""

    def __init__(self, chord, source, folder):
        self.chord, self.folder = chord, folder
        drivers = building.DRIVERS["gcc"]
        driver = next((drivers[l] for l in ("c++", "fortran") if l in source.languages), drivers["c"])
        flags = ["-O2", "-g", "-w", *source.directives.get("flags", [])]
        link = [*source.directives.get("link", []), "-lpthread"]
        for library in source.libraries:
            run(chord, "--context", drivers["c"], *flags, "-shared", "-fPIC", *library.sources, "-o", folder / library.name, folder=folder)
            link += [folder / library.name, f"-Wl,-rpath,{folder}"]
        run(chord, "--context", driver, *flags, *source.sources, *link, "-o", folder / "program", folder=folder)
        # How it ends is the program's business.
        subprocess.run([folder / "program"], cwd=folder, env={"CHORD_OUT": str(folder / "p.chord")}, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        self.total = self.report("function")["instructions"]
        self.lines = self.report("line")["rows"]

    def report(self, by):
        return json.loads(run(self.chord, "report", "p.chord", f"--by={by}", "--json", folder=self.folder))

    def export(self, form):
        """The file; a program without what the format is about is told apart by its message."""
        run(self.chord, "export", form, "p.chord", "-o", f"out.{form}", folder=self.folder)
        return self.folder / f"out.{form}"

    def covered(self):
        return sum(row["count"] > 0 for row in self.lines), len(self.lines)


def check_lcov(profile, file):
    text = run("genhtml", "--branch-coverage", "-o", profile.folder / "pages", file)
    found = re.search(r"lines\.*: .*\((\d+) of (\d+)", text)
    same("lcov", profile.covered(), tuple(map(int, found.groups())))


def check_gcov_json(profile, file):
    found = json.loads(run("gcovr", "-a", file, "-r", "/", "--filter", ".*", "--json-summary", "-"))
    same("gcov-json", profile.covered(), (found["line_covered"], found["line_total"]))


def check_cobertura(profile, file):
    run("xmllint", "--noout", "--dtdvalid", SCHEMAS / "cobertura.dtd", file)
    found = dict(re.findall(r'(lines-\w+)="(\d+)"', file.read_text()))
    same("cobertura", profile.covered(), (int(found["lines-covered"]), int(found["lines-valid"])))


def check_callgrind(profile, file):
    text = run("callgrind_annotate", "--show-percs=no", file)
    same("callgrind", profile.total, int(re.search(r"^([\d,]+)\s+PROGRAM TOTALS", text, re.M)[1].replace(",", "")))


def check_sqlite(profile, file):
    same("sqlite", "ok", run("sqlite3", file, "PRAGMA integrity_check").strip())
    same("sqlite", str(profile.total), run("sqlite3", file, "SELECT sum(executed) FROM functions").strip())


def check_pprof(profile, file):
    run("protoc", "--decode=Profile", f"-I{SCHEMAS}", "pprof.proto", stdin=subprocess.run(["gzip", "-dc", file], check=True, capture_output=True).stdout)


def check_folded(profile, file):
    same("folded", profile.in_contexts, sum(int(line.rsplit(" ", 1)[1]) for line in file.read_text().splitlines()))


def check_speedscope(profile, file):
    same("speedscope", profile.in_contexts, sum(sum(p["weights"]) for p in json.loads(file.read_text())["profiles"]))


def check_firefox(profile, file):
    threads = json.loads(file.read_text())["threads"]
    same("firefox", profile.in_contexts, sum(sum(t["samples"]["weight"]) for t in threads))


def check_svg(_, file):
    run("xmllint", "--noout", file)


def check_bbv(profile, file):
    same("bbv", profile.total, sum(int(n) for n in re.findall(r":\d+:(\d+)", file.read_text())))


def check_sarif(_, file):
    same("sarif", "2.1.0", json.loads(file.read_text())["version"])


FORMATS = {"lcov": check_lcov, "gcov-json": check_gcov_json, "cobertura": check_cobertura, "callgrind": check_callgrind,
           "sqlite": check_sqlite, "pprof": check_pprof, "folded": check_folded, "speedscope": check_speedscope,
           "firefox": check_firefox, "svg": check_svg, "bbv": check_bbv, "sarif": check_sarif}


def check(chord, source, folder):
    """What was refused, by format."""
    profile = Profile(chord, source, folder)
    contexts = json.loads(run(chord, "contexts", "p.chord", "--json", folder=folder))
    profile.in_contexts = sum(row["exclusive"] for row in contexts["rows"])
    failures = []
    for form, reader in FORMATS.items():
        try:
            reader(profile, profile.export(form))
        except Refused as refused:
            failures.append(f"{source.name}: {form}: {refused}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chord")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chord, failures, programs = str(Path(options.chord).resolve()), [], 0
    with tempfile.TemporaryDirectory() as work:
        paths = sorted(p for p in (TESTS / "suite" / "programs").iterdir() if p.is_dir() or p.suffix in [*building.LANGUAGES, ".py"])
        for path in paths:
            if options.names and not any(name in path.name for name in options.names):
                continue
            folder = Path(work) / path.name
            folder.mkdir()
            programs += 1
            try:
                failures += check(chord, suite().Source(path, folder), folder)
            except Refused as refused:
                failures.append(f"{path.name}: {refused}")
    print("\n".join([*failures, f"{programs} programs, {len(FORMATS)} exports of each: {len(failures)} refused"]))
    return 1 if failures or not programs else 0


if __name__ == "__main__":
    sys.exit(main())

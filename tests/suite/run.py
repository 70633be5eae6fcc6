#!/usr/bin/env python3
"""The suite: every program × compiler × optimisation level × kind of executable,
each compared with callgrind instruction by instruction.

    tests/suite/run.py                      everything
    tests/suite/run.py --quick              -O0 and -O2 only
    tests/suite/run.py loops 'clang -O3'    cases whose name contains all of these
    tests/suite/run.py --list

A program is a file in programs/, a folder of files linked together (library.c
becomes a shared library), or a .py file that prints a C program. A line
`suite-flags:`, `suite-link:`, `suite-compilers:`, `suite-may-skip:`, `suite-except:` or `suite-oracle: step` in its
first lines sets what its name says.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle"))

import build as building  # noqa: E402
import pool as pooling  # noqa: E402

LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
KINDS = {"pie": ["-fPIE", "-pie"], "no-pie": ["-fno-pie", "-no-pie"]}
# What else compilers are asked for: name -> (compilers, flags, link flags, build from source).
VARIANTS = {
    "debug": (["gcc", "clang"], ["-O2", "-g", "-fPIE", "-pie"], [], False),
    "debug -O0": (["gcc", "clang"], ["-O0", "-g", "-fPIE", "-pie"], [], False),
    "pic": (["gcc", "clang"], ["-O2", "-fPIC", "-pie"], [], False),
    "cet": (["gcc", "clang"], ["-O2", "-fcf-protection=full", "-fPIE", "-pie"], [], False),
    "sections": (["gcc", "clang"], ["-O2", "-ffunction-sections", "-fdata-sections"], ["-Wl,--gc-sections"], False),
    "no-plt": (["gcc", "clang"], ["-O2", "-fno-plt", "-fPIC", "-pie"], [], False),
    "intel": (["gcc"], ["-O2", "-masm=intel"], [], False),
    "static": (["gcc"], ["-O2", "-static"], [], False),
    "lto": (["gcc"], ["-O2", "-flto=1"], [], True),
    "source": (["gcc", "clang"], ["-O2", "-g"], [], True),
    "lld": (["clang-19"], ["-O2", "-fPIE", "-pie"], ["-fuse-ld=lld"], False),
    "mold": (["gcc"], ["-O2", "-fPIE", "-pie"], ["-fuse-ld=mold"], False),
    "unwind-free": (["gcc"], ["-O2", "-fno-asynchronous-unwind-tables"], [], False),
    "debug-frame": (["gcc", "clang"], ["-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"], [], False),
    "native-loops": (["gcc", "clang"], ["-O3", "-funroll-loops", "-march=x86-64-v2"], [], False),
}
VARIANTS |= {label: (["gcc", "clang"], ["-O2"], [], False) for label in building.PLACEMENTS}
# Paths, from which edges, blocks and instructions follow, in frames of all shapes.
VARIANTS |= {label: (["gcc", "clang"], flags, [], False) for label, flags in {
    "paths": ["-O2", "-fPIE", "-pie"], "paths -O0": ["-O0"], "paths -O3": ["-O3"], "paths pic": ["-O2", "-fPIC", "-pie"],
    "paths cet": ["-O2", "-fcf-protection=full"],
    "paths frame pointer": ["-O2", "-fno-omit-frame-pointer"]}.items()}
SHORT_LEVELS = {"clang-19": ["-O0", "-O2", "-Os"]}


class Source:
    """A program of the suite and what its directives ask for."""

    def __init__(self, path, generated):
        self.name = path.stem if path.suffix == ".py" else path.name
        self.libraries, self.directives = [], {}
        if path.is_dir():
            files = sorted(p for p in path.iterdir() if p.suffix in building.LANGUAGES)
            self.sources = [p for p in files if p.stem != "library"]
            self.libraries = [building.Library("liblibrary.so", [p]) for p in files if p.stem == "library"]
        elif path.suffix == ".py":
            target = generated / (path.stem + ".c")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(subprocess.run([sys.executable, path], check=True, capture_output=True, text=True).stdout)
            self.sources = [target]
        else:
            self.sources = [path]
        for source in self.sources:
            self._read_directives(source)
        self.languages = {building.LANGUAGES[p.suffix] for p in self.sources}

    def _read_directives(self, source):
        for line in source.read_text().splitlines()[:4]:
            for key in ("flags", "link", "compilers", "may-skip", "except", "oracle"):
                if f"suite-{key}:" in line:
                    self.directives[key] = line.split(f"suite-{key}:")[1].split()

    def allows(self, compiler, label):
        if label in self.directives.get("except", []):
            return False
        if "fortran" in self.languages and compiler != "gcc":
            return False
        # Inline assembly in AT&T syntax cannot be compiled as Intel's.
        if label == "intel" and any("__asm__" in s.read_text() or s.suffix == ".S" for s in self.sources):
            return False
        # A static program has no shared library, and code from assembly text has no link-time bytecode.
        if label in ("static", "lto") and self.libraries:
            return False
        return compiler in self.directives.get("compilers", building.DRIVERS)

    def may_skip(self, label):
        """Functions that may be left alone: `name`, or `label:name` for one kind of build."""
        names = [n.rpartition(":") for n in self.directives.get("may-skip", [])]
        return [name for only, _, name in names if only in ("", label)]

    def case(self, compiler, label, flags, link=(), direct=False):
        own = self.directives
        return building.Program(
            f"{self.name} {compiler} {label}", self.sources, compiler, [*flags, *own.get("flags", [])],
            [*link, *own.get("link", [])], self.libraries, direct=direct, may_skip=self.may_skip(label),
            chord_flags=["--paths"] if label.startswith("paths") else building.PLACEMENTS.get(label, []), measured=label.endswith("measured"),
            stepped=own.get("oracle") == ["step"], seconds=20)


def cases(programs, quick):
    for source in programs:
        for compiler in building.DRIVERS:
            levels = ["-O0", "-O2"] if quick else SHORT_LEVELS.get(compiler, LEVELS)
            kinds = ["pie"] if quick or compiler in SHORT_LEVELS else KINDS
            for level in levels:
                for kind in kinds:
                    if source.allows(compiler, kind):
                        yield source.case(compiler, f"{level} {kind}", [level, *KINDS[kind]])
        for label, (compilers, flags, link, direct) in ({} if quick else VARIANTS).items():
            for compiler in compilers:
                if source.allows(compiler, label):
                    yield source.case(compiler, label, flags, link, direct)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pooling.add_options(parser)
    parser.add_argument("--quick", action="store_true", help="only -O0 and -O2, position-independent")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only cases containing all of these")
    options = parser.parse_args()
    pool = pooling.Pool(options, "suite", "tests/suite/run.py --keep {}")
    paths = sorted(p for p in (HERE / "programs").iterdir() if p.is_dir() or p.suffix in [*building.LANGUAGES, ".py"])
    programs = [Source(path, pool.work / "generated") for path in paths]
    chosen = [c for c in cases(programs, options.quick) if all(n in c.name for n in options.names)]
    if options.list:
        print("\n".join(c.name for c in chosen))
        return 0
    return pool.run(chosen)


if __name__ == "__main__":
    sys.exit(main())

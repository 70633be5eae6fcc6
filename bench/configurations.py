"""The ways a program is built for measuring, and how to build it each way."""

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import build as building


@dataclass
class Configuration:
    """`chord`: its build options, or None for a build without it. `reference`: the
    configuration whose runs stand beside this one's; without one it is only that."""

    name: str
    family: str
    chord: list = None
    flags: list = field(default_factory=list)
    reference: str = None
    meaning: str = ""
    trained: bool = False  # built again by the counts of a first run
    one_path: bool = False  # built again to count one path of each function, drawn from all
    bolt: bool = False     # instrumented after linking
    under: list = None     # run by this command, which instructions are not counted of

    @property
    def counts_paths(self):
        return "--paths" in (self.chord or [])

    @property
    def folder(self):
        return self.name.replace(" ", "-")


def _gcc(name, meaning, **more):
    return Configuration(name, "gcc", reference="plain", meaning=meaning, **more)


def _clang(name, meaning, **more):
    return Configuration(name, "clang", reference="clang plain", meaning=meaning, **more)


ALL = {c.name: c for c in [
    Configuration("plain", "gcc", meaning="gcc -O2"),
    Configuration("clang plain", "clang", meaning="clang -O2"),
    _gcc("control", "plain against itself"),
    _gcc("gcov", "gcc --coverage", flags=["--coverage"]),
    _gcc("gcov atomic", "the same with -fprofile-update=atomic", flags=["--coverage", "-fprofile-update=atomic"]),
    _gcc("gcc PGO", "gcc -fprofile-generate", flags=["-fprofile-generate", "-fprofile-update=single"]),
    _gcc("gcc PGO atomic", "the same with -fprofile-update=atomic", flags=["-fprofile-generate", "-fprofile-update=atomic"]),
    _clang("clang PGO", "clang -fprofile-generate", flags=["-fprofile-generate"]),
    _clang("clang PGO atomic", "the same with -fprofile-update=atomic", flags=["-fprofile-generate", "-fprofile-update=atomic"]),
    _gcc("BOLT", "llvm-bolt -instrument", bolt=True, flags=["-Wl,--emit-relocs"]),
    _gcc("chord redundant", "chord --place=redundant gcc: a counter in every block", chord=["--place=redundant"]),
    _gcc("chord memory", "chord --loop-counters=memory gcc: no loop counts in registers", chord=["--loop-counters=memory"]),
    _gcc("chord paths", "chord --paths gcc: every acyclic path", chord=["--paths"]),
    _gcc("chord contexts", "chord --context gcc: all counts in every calling context", chord=["--context"]),
    _gcc("chord contexts paths", "chord --context --paths gcc: every acyclic path in every calling context", chord=["--context", "--paths"]),
    _gcc("uftrace", "gcc -pg, run by uftrace record: every call and its time, written to a file", flags=["-pg"],
         under=["uftrace", "record", "--no-libcall", "--force"]),
    _gcc("chord tsc", "chord --metrics=tsc gcc: the time of functions", chord=["--metrics=tsc"]),
    _gcc("chord paths tsc", "chord --paths --metrics=tsc gcc: the time of every path", chord=["--paths", "--metrics=tsc"]),
    _gcc("chord contexts tsc", "chord --context --metrics=tsc gcc: the time of every calling context", chord=["--context", "--metrics=tsc"]),
    _gcc("chord one path", "chord --paths=SELECTION gcc: one path of each function", chord=["--paths"], one_path=True),
    _gcc("chord", "chord gcc", chord=[]),
    _gcc("chord coverage", "chord --coverage gcc: what ran, no counts", chord=["--coverage"]),
    _gcc("chord measured", "chord --weights=PROFILE gcc, by an earlier run", chord=[], trained=True),
    _gcc("chord events", "chord --events=instructions gcc: one counter, exact at every call", chord=["--events=instructions"]),
    _gcc("chord budget", "chord --budget gcc: the same, and can be stopped at any count", chord=["--budget"]),
    _gcc("chord trace", "chord --trace gcc: the whole control flow, written to a file", chord=["--trace"]),
    _gcc("chord trace bits", "chord --trace=bits gcc: each branch writes", chord=["--trace=bits"]),
    _gcc("chord trace witness", "chord --trace=witness gcc: only edges write from which the others follow", chord=["--trace=witness"]),
    _gcc("chord trace time", "chord --trace=time gcc: and now and then what time it is", chord=["--trace=time"]),
    _gcc("chord trace addresses", "chord --trace=addresses gcc: and where loads and stores went", chord=["--trace=addresses"]),
    _gcc("chord trace ring", "chord --trace gcc, run with CHORD_RING=64M: the last part is kept", chord=["--trace"], under=["env", "CHORD_RING=64M"]),
    _clang("chord clang", "chord clang", chord=[]),
]}


def _command(command, folder):
    subprocess.run([str(c) for c in command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _link(real, c, options, target):
    """One executable, objects compiled one by one as a build system would."""
    program = building.Program(real.name, real.sources, c.family)
    prefix = [] if options is None else [building.chord(), *options]
    objects = []
    for index, source in enumerate(real.sources):
        out = target / f"{index}-{source.stem}.o"
        driver = program.driver(building.LANGUAGES[source.suffix])
        _command([*prefix, driver, "-O2", "-w", *c.flags, *real.flags, "-c", source, "-o", out], target)
        objects.append(out)
    _command([*prefix, program.linker_driver(), "-O2", *c.flags, *objects, "-o", target / "prog", *real.link], target)
    return target / "prog"


def _bolt_tool():
    """It looks for its runtime beside itself, so links to it are followed."""
    tools = [shutil.which(name) for name in ("llvm-bolt", "llvm-bolt-19", "llvm-bolt-16")]
    return next((Path(t).resolve() for t in tools if t), None)


def _instrument(binary):
    """Nothing where llvm-bolt is missing or cannot instrument the program."""
    tool = _bolt_tool()
    if tool is None:
        return None
    plain = binary.rename(binary.with_name("before"))
    done = subprocess.run([tool, plain, "-instrument", f"--instrumentation-file={binary.parent / 'counts.fdata'}",
                           "-o", binary], capture_output=True, check=False)
    return binary if done.returncode == 0 else None


def _run_under(command, binary):
    """A script that runs it so. What the command writes goes beside it."""
    if shutil.which(command[0]) is None:
        return None
    measured = binary.rename(binary.with_name("measured"))
    binary.write_text(f'#!/bin/sh\nexec {" ".join(command)} -d "{binary.parent}/written" "{measured}" "$@"\n')
    binary.chmod(0o755)
    return binary


def build(real, c, folder, train, reuse=False):
    """The executable, or None if this tool cannot make it. `train(binary)` runs a
    chord build once and returns the profile; with `reuse` an executable that an earlier
    run of the benchmark made is taken as it is."""
    target = folder / c.folder
    if reuse and (target / "done").exists():
        return target / "prog" if (target / "prog").exists() else None
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    binary = _link(real, c, c.chord, target)
    if c.trained:
        profile = train(binary)
        binary = _link(real, c, [*c.chord, f"--weights={profile}"], target)
    if c.one_path:
        selection = target / "one.paths"
        _command([building.chord(), "paths", "select", train(binary), "--random=1", "--seed=1", "-o", selection], target)
        binary = _link(real, c, [f"--paths={selection}"], target)
    made = _instrument(binary) if c.bolt else _run_under(c.under, binary) if c.under else binary
    if made is None:
        binary.unlink(missing_ok=True)  # nobody is to take it for the tool's work
    (target / "done").write_text("")
    return made

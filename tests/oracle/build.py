"""Builds a program twice from the same assembly: plain, and woven by chord."""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LANGUAGES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".f90": "fortran", ".f": "fortran", ".F90": "fortran",
             ".s": "assembly", ".S": "c"}
DRIVERS = {
    "gcc": {"c": "gcc", "c++": "g++", "fortran": "gfortran"},
    "clang": {"c": "clang", "c++": "clang++"},
    "clang-19": {"c": "clang-19", "c++": "clang++-19"},
}
# Placements and weights: name -> chord's build options. `measured` builds and runs first
# with the placement alone, then again by the counts of that run.
PLACEMENTS = {
    "redundant": ["--place=redundant"],
    "memory": ["--loop-counters=memory"],
    "vertex": ["--place=vertex"],
    "vertex paper": ["--place=vertex", "--weights=paper"],
    "vertex measured": ["--place=vertex"],
    "vertex-edge": ["--place=vertex-edge"],
    "vertex-edge paper": ["--place=vertex-edge", "--weights=paper"],
    "vertex-edge measured": ["--place=vertex-edge"],
    "edge paper": ["--weights=paper"],
    "edge measured": [],
    "paths": ["--paths"],
    # Counters of events beside those of blocks.
    "events": ["--place=optimal", "--events=instructions"],
    "budget": ["--place=optimal", "--events=instructions", "--budget"],
    "callsites": ["--callsites", "--events=instructions"],
}
# Flags that speak of source code: the assembly already answers them, and -g
# would make the assembler describe the assembly instead of the source.
SOURCE_ONLY = re.compile(r"-g.*|-D.*|-I.*|-std=.*|-W(?!l,).*|--?include.*|-fno-strict-aliasing")


# The tool works with the system's assembler, whose choice of encodings is its own:
# the plain program must come from the same one.
SAME_ASSEMBLER = {"clang": ["-fno-integrated-as"], "clang-19": ["-fno-integrated-as"]}


class BuildError(Exception):
    pass


@dataclass
class Library:
    """A shared library of the program, woven like the program itself."""

    name: str
    sources: list


@dataclass
class Run:
    arguments: list = field(default_factory=list)
    stdin: bytes = b""


@dataclass
class Program:
    name: str
    sources: list
    compiler: str = "gcc"
    flags: list = field(default_factory=list)
    link: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    # Counts of several runs add up, in the profile as in the oracle.
    runs: list = field(default_factory=lambda: [Run()])
    # Build from the sources in one go instead of from shared assembly: for what
    # has no assembly between (link-time optimisation). Compilers are deterministic.
    direct: bool = False
    chord_flags: list = field(default_factory=list)
    # Build and run it once, then again with counters placed by that run.
    measured: bool = False
    # The counts are taken out of the core file that it leaves.
    core: bool = False
    # Single-stepping is the oracle, not callgrind.
    stepped: bool = False
    # A run of the plain program that takes longer is not worth simulating.
    seconds: float = 60.0
    # Functions that cannot be woven, for a reason worth having; others must be.
    may_skip: list = field(default_factory=list)

    def __post_init__(self):
        self.flags = [*self.flags, *(f for f in SAME_ASSEMBLER.get(self.compiler, []) if f not in self.flags)]

    def driver(self, language):
        table = DRIVERS.get(self.compiler, {})
        return table.get(language, self.compiler)

    def linker_driver(self):
        languages = {LANGUAGES[Path(s).suffix] for s in self.sources}
        return next((self.driver(l) for l in ("c++", "fortran") if l in languages), self.driver("c"))


@dataclass
class Built:
    """plain/ and woven/ are paths of equal length holding equal names: programs
    that look at argv or the environment see the same thing in both."""

    folder: Path
    assembly: list
    objects: list  # names within plain/ and woven/: the program, then its libraries

    def plain(self, name="prog"):
        return self.folder / "plain" / name

    def woven(self, name="prog"):
        return self.folder / "woven" / name


def chord():
    """The tool under test: $CHORD, or the one in the default build folder."""
    path = os.environ.get("CHORD") or ROOT / "build" / "bin" / "chord"
    if not Path(path).exists():
        raise SystemExit(f"no chord at {path}: build it, or set CHORD")
    return str(path)


def environment():
    """The same small environment for every build and run."""
    kept = {k: os.environ[k] for k in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") if k in os.environ}
    return {**kept, "LANG": "C", "LC_ALL": "C", "CHORD_FLAGS": "--verify"}


def shell(command):
    return " ".join(shlex.quote(str(c)) for c in command)


def run_tool(command, **options):
    command = [str(c) for c in command]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise BuildError(f"{shell(command)}\n  exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return done


def modules_in(folder, sources):
    """Fortran writes the modules it compiles to the current folder, unless told otherwise."""
    fortran = any(LANGUAGES.get(Path(source).suffix) == "fortran" for source in sources)
    return ["-J", Path(folder).resolve()] if fortran else []


def to_assembly(program, source, folder, index):
    """Compiles one source to assembly; hand-written .S is only preprocessed."""
    source = Path(source)
    out = folder / f"{index}-{source.stem}.s"
    language = LANGUAGES[source.suffix]
    if language == "assembly":
        out.write_bytes(source.read_bytes())
    elif source.suffix == ".S":
        run_tool([program.driver("c"), "-E", *program.flags, source, "-o", out])
    else:
        # Compiled in its own folder by its bare name: __FILE__ and .file are then short and stable.
        run_tool([program.driver(language), "-S", *program.flags, *modules_in(folder, [source]), source.name, "-o", out.resolve()],
                 cwd=source.resolve().parent)
    return out


def assemble_and_link(program, prefix, inputs, output, extra=(), driver=None):
    flags = program.flags if program.direct else [f for f in program.flags if not SOURCE_ONLY.fullmatch(f)]
    run_tool([*prefix, driver or program.linker_driver(), *flags, *modules_in(Path(output).parent, inputs), *inputs, "-o",
              output, *extra, *program.link])


def build(program, folder):
    folder = Path(folder).resolve()
    for sub in ("plain", "woven", "asm"):
        (folder / sub).mkdir(parents=True, exist_ok=True)
    weaver = [chord(), *program.chord_flags]
    assembly, index = [], 0

    def inputs_of(sources):
        nonlocal index
        inputs = []
        for source in sources:
            # In a direct build the assembly only tells which functions are the program's own.
            flags = [f for f in program.flags if not f.startswith("-flto")]
            inputs.append(to_assembly(replace(program, flags=flags), source, folder / "asm", index))
            index += 1
        assembly.extend(inputs)
        return [Path(s).resolve() for s in sources] if program.direct else inputs

    for library in program.libraries:
        inputs = inputs_of(library.sources)
        for side, prefix in (("plain", []), ("woven", weaver)):
            assemble_and_link(program, prefix, inputs, folder / side / library.name, ["-shared", "-fPIC"])
    inputs = inputs_of(program.sources)
    for side, prefix in (("plain", []), ("woven", weaver)):
        against = [folder / side / library.name for library in program.libraries]
        extra = [*against, "-Wl,-rpath,$ORIGIN"] if against else []
        assemble_and_link(program, prefix, inputs, folder / side / "prog", extra)
    objects = ["prog", *(l.name for l in program.libraries)]
    for name in objects:
        # Simulators trip over debug information newer than themselves; addresses stay the same.
        run_tool(["objcopy", "--strip-debug", folder / "plain" / name])
    return Built(folder, assembly, objects)

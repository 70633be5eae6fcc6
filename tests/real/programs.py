"""Real programs from Debian's sources, with fixed inputs of chosen size.

Everything that would make counts depend on the run is fixed: seeds, addresses
used as hash keys, time.
"""

import bz2
import gzip
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle"))

import build as building  # noqa: E402
import fetch as fetching  # noqa: E402

Run = building.Run


@dataclass
class Real:
    """A program ready to be compiled. `runs(size)` are its inputs: 1 takes well
    under a second, larger ones grow in proportion."""

    name: str
    sources: list
    flags: list
    link: list
    runs: object
    # Functions that cannot be woven, each with its reason in the comment where it is set.
    may_skip: list = field(default_factory=list)

    def case(self, compiler, flags, size=1):
        return building.Program(f"{self.name} {compiler} {' '.join(flags)}", self.sources, compiler,
                                [*flags, "-w", *self.flags], self.link, runs=self.runs(size), seconds=60,
                                may_skip=self.may_skip)


def sample_text(size):
    """Compressible, deterministic bytes: words of uneven frequency and some noise."""
    rng = random.Random(1997)
    words = ["".join(rng.choice("etaoinshrdlu") for _ in range(rng.randrange(1, 9))) for _ in range(400)]
    parts = []
    while len(parts) < size // 4:
        parts.append(words[min(int(rng.expovariate(0.02)), 399)])
        if len(parts) % 50 == 0:
            parts.append("".join(chr(rng.randrange(33, 127)) for _ in range(20)))
    return " ".join(parts).encode()[:size]


def sample_yaml(entries):
    rng = random.Random(1999)
    lines = ["# generated", "defaults: &defaults {retries: 3, verbose: false}", "entries:"]
    for i in range(entries):
        values = ", ".join(str(rng.randrange(1000)) for _ in range(6))
        lines += [f"  - name: entry {i}", "    <<: *defaults", f"    values: [{values}]",
                  f"    text: \"quoted \\t {rng.random():.4f} \\u00e9\"", "    block: |", "      first line",
                  f"      line {i}", "    nested: {a: {b: {c: ~}}, 'single quoted': !!str 12}"]
    return "\n".join(lines).encode() + b"\n"


def sample_clauses(variables, seed):
    """A random formula near the hard ratio of clauses to variables."""
    rng = random.Random(seed)
    clauses = [rng.sample(range(1, variables + 1), 3) for _ in range(int(4.26 * variables))]
    lines = [" ".join(str(v if rng.random() < 0.5 else -v) for v in clause) + " 0" for clause in clauses]
    return "\n".join([f"p cnf {variables} {len(clauses)}", *lines]).encode() + b"\n"


def lua(cache):
    folder = fetching.fetch("lua5.4", cache) / "src"
    # Debian's build writes this header.
    (folder / "lua5.4-deb-multiarch.h").write_text("#define DEB_HOST_MULTIARCH \"multiarch\"\n")
    # Strings are hashed with a seed, and looked up by the address of the C string in a small cache.
    flags = ["-Dluai_makeseed(L)=42u", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1", "-DLUA_USE_POSIX"]
    sources = [p for p in sorted(folder.glob("*.c")) if p.name != "luac.c"]
    return Real("lua", sources, flags, ["-lm"], lambda size: [Run([str(HERE / "inputs" / "work.lua"), str(size)])])


def bzip2(cache):
    folder = fetching.fetch("bzip2", cache)
    names = ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2"]

    def runs(size):
        text = sample_text(40000 * size)
        return [Run(["-c"], text), Run(["-d", "-c"], bz2.compress(text))]

    return Real("bzip2", [folder / f"{n}.c" for n in names], ["-D_FILE_OFFSET_BITS=64"], [], runs)


def zlib(cache):
    folder = fetching.fetch("zlib", cache)
    flags = ["-D_LARGEFILE64_SOURCE=1", "-DHAVE_HIDDEN", "-DHAVE_UNISTD_H", f"-I{folder}"]

    def runs(size):
        text = sample_text(60000 * size)
        return [Run(["-6"], text), Run(["-1"], text), Run(["-9"], text), Run(["-d"], gzip.compress(text, mtime=0))]

    return Real("zlib", [*sorted(folder.glob("*.c")), folder / "test" / "minigzip.c"], flags, [], runs)


def sqlite(cache):
    folder = fetching.fetch("sqlite3", cache) / "amalgamation"
    if not (folder / "shell.c").exists():
        folder.mkdir(exist_ok=True)
        for command in (["../configure", "--disable-tcl", "--disable-readline"], ["make", "sqlite3.c", "shell.c"]):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
    flags = ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", f"-I{folder}"]

    def runs(size):
        script = (HERE / "inputs" / "work.sql").read_text().replace("@SIZE@", str(400 * size))
        return [Run([":memory:"], script.encode())]

    return Real("sqlite", [folder / "sqlite3.c", folder / "shell.c"], flags, ["-lm"], runs)


def yaml(cache):
    folder = fetching.fetch("yaml-cpp", cache)
    sources = [*sorted((folder / "src").glob("*.cpp")), HERE / "inputs" / "yaml_round_trip.cc"]
    return Real("yaml", sources, ["-std=c++11", f"-I{folder / 'include'}", f"-I{folder / 'src'}"], [],
                lambda size: [Run([], sample_yaml(25 * size)), Run([], b"a: [1, 2\nb: }")])


def minisat(cache):
    folder = fetching.fetch("minisat2", cache)
    names = ["core/Main.cc", "core/Solver.cc", "utils/Options.cc", "utils/System.cc"]
    flags = ["-std=gnu++98", f"-I{folder}", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS"]
    return Real("minisat", [folder / "minisat" / n for n in names], flags, ["-lz"],
                lambda size: [Run(["-verb=0"], sample_clauses(160, seed)) for seed in range(size)])


ALL = {"lua": lua, "bzip2": bzip2, "zlib": zlib, "sqlite": sqlite, "yaml": yaml, "minisat": minisat}

"""Real programs from Debian's sources, with fixed inputs of chosen size.

Everything that would make counts depend on the run is fixed: seeds, addresses
used as hash keys, time.
"""

import bz2
import functools
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
# Contexts, whose sums are compared.
MODES = building.PLACEMENTS | {"contexts": ["--context"], "contexts paths": ["--context", "--paths"]}


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

    def allows(self, compiler):
        """Fortran has gcc's compiler alone."""
        return all(building.LANGUAGES[s.suffix] in building.DRIVERS[compiler] for s in self.sources)

    def case(self, compiler, flags, size=1, placement="default"):
        name = [self.name, compiler, *flags, *([] if placement == "default" else [placement])]
        return building.Program(" ".join(name), self.sources, compiler, [*flags, "-w", *self.flags], self.link,
                                runs=self.runs(size), seconds=60, may_skip=self.may_skip,
                                chord_flags=MODES.get(placement, []), measured=placement.endswith("measured"))


@functools.lru_cache(maxsize=8)
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


@functools.lru_cache(maxsize=8)
def sample_yaml(entries):
    rng = random.Random(1999)
    lines = ["# generated", "defaults: &defaults {retries: 3, verbose: false}", "entries:"]
    for i in range(entries):
        values = ", ".join(str(rng.randrange(1000)) for _ in range(6))
        lines += [f"  - name: entry {i}", "    <<: *defaults", f"    values: [{values}]",
                  f"    text: \"quoted \\t {rng.random():.4f} \\u00e9\"", "    block: |", "      first line",
                  f"      line {i}", "    nested: {a: {b: {c: ~}}, 'single quoted': !!str 12}"]
    return "\n".join(lines).encode() + b"\n"


@functools.lru_cache(maxsize=8)
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


@functools.lru_cache(maxsize=8)
def sample_image(width, height):
    """Smooth areas, edges and some noise, as a portable pixmap."""
    rng = random.Random(1991)
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            inside = (x - width / 2) ** 2 + (y - height / 3) ** 2 < (width / 4) ** 2
            noise = rng.randrange(8)
            pixels += bytes([(200 if inside else x * 255 // width) & ~7 | noise, y * 255 // height, (x * y) & 255])
    return f"P6\n{width} {height}\n255\n".encode() + bytes(pixels)


@functools.lru_cache(maxsize=8)
def sample_points(count):
    rng = random.Random(1996)
    lines = [" ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(3)) for _ in range(count)]
    return "\n".join(["3", str(count), *lines]).encode() + b"\n"


@functools.lru_cache(maxsize=8)
def sample_c(functions):
    """A C program without headers: declarations, expressions, loops, switches."""
    rng = random.Random(2001)
    lines = ["typedef unsigned long word;", "struct node { struct node *next; word key[4]; };"]
    for i in range(functions):
        a, b, c = (rng.randrange(1, 1000) for _ in range(3))
        lines += [f"static word f{i}(word x, struct node *n) {{", "  word sum = 0;",
                  f"  for (int i = 0; i < {a}; i++) sum += (x ^ {b}ul) * i + (n ? n->key[i & 3] : {c});",
                  "  switch (sum % 5) {", f"    case 0: sum -= {c}; break;", "    case 1: while (sum > 9) sum >>= 1; break;",
                  f"    default: sum = sum > {a} && x < {b} ? sum + {c} : f{max(i - 1, 0)}(sum & 1, n) << 3;", "  }",
                  "  return sum;", "}"]
    return "\n".join(lines).encode() + b"\nint main(void) { return 0; }\n"


def tcc(cache):
    folder = fetching.fetch("tcc", cache)
    config = folder / "config"
    if not (config / "config.h").exists():
        config.mkdir(exist_ok=True)
        (config / "config.h").write_text('#define TCC_VERSION "0.9.27"\n#define CONFIG_TCCDIR "nowhere"\n')
    flags = ["-DONE_SOURCE=1", "-DTCC_TARGET_X86_64", f"-I{config}", f"-I{folder}", "-fno-strict-aliasing"]
    return Real("tcc", [folder / "tcc.c"], flags, ["-ldl", "-lpthread"],
                lambda size: [Run(["-c", "-", "-o", "out.o"], sample_c(60 * size)),
                              Run(["-E", "-"], sample_c(40 * size)), Run(["-c", "-"], b"int x = ;\n")])


def fairymax(cache):
    folder = fetching.fetch("fairymax", cache)
    flags = ["-Wno-return-type", f'-DFAIRYDIR="{folder / "data"}"', f"--include={HERE / 'inputs' / 'fixed_clock.h'}"]

    def runs(size):
        # Openings of a game; each is one search to a fixed depth.
        moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"]
        games = "".join(f"new\nst 100000\nsd 4\nforce\n{chr(10).join(moves[:n % 10 + 1])}\ngo\n" for n in range(size))
        return [Run([], f"xboard\n{games}quit\n".encode())]

    return Real("fairymax", [folder / "fairymax.c"], flags, [], runs)


def jpeg(cache):
    folder = fetching.fetch("libjpeg-turbo", cache)
    config = folder / "config"
    if not (config / "jconfigint.h").exists():
        subprocess.run(["cmake", "-S", folder, "-B", config, "-DWITH_SIMD=0", "-DBUILD=sample"], check=True,
                       capture_output=True)
    tools = ["cjpeg", "cdjpeg", "rdgif", "rdppm", "rdswitch", "rdbmp", "rdtarga"]
    outside = ("jcstest", "jdatadst-tj", "jdatasrc-tj", "jpegtran", "jsimd_none", "jccolext", "jdcolext", "jdcol565",
               "jdmrgext", "jdmrg565", "jstdhuff")
    library = [p for p in sorted(folder.glob("j*.c")) if p.stem not in outside]
    sources = [*library, folder / "jsimd_none.c", *[folder / f"{t}.c" for t in tools]]
    flags = ["-DBMP_SUPPORTED", "-DGIF_SUPPORTED", "-DPPM_SUPPORTED", "-DTARGA_SUPPORTED", f"-I{config}", f"-I{folder}"]

    def runs(size):
        columns = -(-size // 1000)  # an image is at most 65,500 pixels high
        image = sample_image(96 * columns, 48 * size // columns)
        return [Run(["-quality", "85", "-optimize"], image), Run(["-progressive", "-dct", "float"], image)]

    return Real("jpeg", sources, flags, ["-lm"], runs)


def qhull(cache):
    folder = fetching.fetch("qhull", cache) / "src"
    sources = [*sorted((folder / "libqhull_r").glob("*.c")), folder / "qhull" / "unix_r.c"]
    return Real("qhull", sources, [f"-I{folder}"], ["-lm"],
                lambda size: [Run(["n"], sample_points(200 * size)), Run(["d", "Qbb", "i"], sample_points(60 * size))])


def lapack(cache):
    """The reference implementation in Fortran, as far as two of its drivers need it."""
    folder = fetching.fetch("lapack", cache)
    blas = ("dasum daxpy dcopy ddot dgemm dgemv dger dnrm2 drot dscal dswap dsymv dsyr2 dsyr2k dtrmm dtrmv dtrsm "
            "idamax lsame xerbla").split()
    solver = ("dgesv dgetrf dgetrf2 dgetrs dlaswp dsyev dsytrd dsytd2 dlatrd dorgtr dorgql dorgqr dorg2l dorg2r dsteqr dsterf "
              "dlarfb dlarft dlarf dlarfg dlansy dlascl dlaset dlasr dlasrt dlaev2 dlae2 dlanst dlartg dlapy2 dlassq dlacpy "
              "ilaenv iparmq ieeeck iladlc iladlr disnan dlaisnan dcombssq la_constants la_xisnan").split()
    found = []
    for place, names in ((folder / "BLAS" / "SRC", blas), (folder / "SRC", solver), (folder / "INSTALL", ["dlamch"])):
        found += [p for n in names for p in (place / f"{n}.f", place / f"{n}.f90", place / f"{n}.F90") if p.exists()]
    found.sort(key=lambda p: not p.stem.startswith("la_"))
    return Real("lapack", [*found, HERE / "inputs" / "solve.f90"], [], [], lambda size: [Run([str(4 * size)])])


ALL = {"lua": lua, "bzip2": bzip2, "zlib": zlib, "sqlite": sqlite, "yaml": yaml, "minisat": minisat, "tcc": tcc,
       "fairymax": fairymax, "jpeg": jpeg, "qhull": qhull, "lapack": lapack}

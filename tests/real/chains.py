#!/usr/bin/env python3
"""Calling contexts of real programs against single-stepping, on inputs as small as they make sense.

The plain program is stepped through one instruction at a time and the trace folded into contexts (contexts/run.py); calls and instructions of
every chain of calls must be what `chord --context`, with paths and without, counts. Functions of one name are told apart by their files.

    tests/real/chains.py                       lua, bzip2, sqlite, minisat, lapack; gcc and clang; -O0 and -O2
    tests/real/chains.py lua --compilers=gcc --levels=-O2
"""
import argparse
import array
import collections
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import programs  # noqa: E402  (puts the oracle's folder on the path)
import build as building  # noqa: E402
import fetch as fetching  # noqa: E402
from variants import Failure, checked, environment, run  # noqa: E402

_spec = importlib.util.spec_from_file_location("contexts_run", HERE.parent / "contexts" / "run.py")
contexts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contexts)

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t = {5, 2, 9, 1}
table.sort(t, function(a, b) return a > b end)
local text = string.gsub("some words here", "%w+", function(w) return w:upper() end)
local caught = 0
for i = 1, 3 do
  if not pcall(function() if i % 2 == 1 then error("odd") end end) then caught = caught + 1 end
end
local co = coroutine.wrap(function() for i = 1, 2 do coroutine.yield(fib(i + 2)) end end)
print(fib(6), t[1], text, caught, co(), co(), select("#", load("return 1, 2")()))
"""
SQL = b"""create table t(a integer primary key, b text);
insert into t(b) values ('one'), ('two'), ('three');
select b, count(*) from t where a > 1 group by b order by b desc;
select * from nowhere;
"""
# Arguments and input of each.
SMALLEST = {"lua": (["-e", LUA], b""), "bzip2": (["-c"], b"abcabcabc some words " * 9), "sqlite": ([":memory:"], SQL),
            "minisat": (["-verb=0"], programs.sample_clauses(24, 1)), "lapack": (["1", "7"], b"")}
MODES = {"contexts": ["--context"], "contexts paths": ["--context", "--paths"]}


def functions_of(program, files):
    """(begin, end, name) of the program's functions, whose files are given. A name that several have begins with that of its file."""
    found, file = [], ""
    for line in checked(["readelf", "-sW", program]).stdout.splitlines():
        words = line.split()
        if len(words) < 8:
            continue
        if words[3] == "FILE":
            file = words[7]
        if words[3] == "FUNC" and words[6] != "UND" and int(words[2], 0) and (words[4] != "LOCAL" or file in files):
            begin = int(words[1], 16)
            found.append((begin, begin + int(words[2], 0), file if words[4] == "LOCAL" else "", words[7]))
    places = collections.defaultdict(set)
    for begin, _, _, name in found:
        places[name.split(".cold")[0] if name.endswith(".cold") else name].add(begin if not name.endswith(".cold") else -1)
    several = {name for name, at in places.items() if len(at - {-1}) > 1}
    return sorted({(b, e, f"{file}|{name}" if name.split(".cold")[0] in several else name) for b, e, file, name in found})


def jump_to_themselves(folder):
    """Functions that jump to their own name in the compiler's text: machine code does not tell that from a loop."""
    names = set()
    for text in Path(folder).glob("*.s"):
        function = None
        for line in text.read_text(errors="replace").splitlines():
            label, jump = re.match(r"([\w.$]+):", line), re.match(r"\s+j\w+\s+([\w.$]+)(@PLT)?\s*(#.*)?$", line)
            if label and not label[1].startswith(".L"):
                function = label[1]
            if jump and jump[1] == function:
                names.add(function)
    return names


def input_of(content):
    file = tempfile.TemporaryFile()
    file.write(content)
    file.seek(0)
    return file


def shown(name):
    return name.rsplit("|", 1)[-1]


class Folder(contexts.Folder):
    def site(self, pc):
        return shown(super().site(pc))


def stepped(plain, arguments, stdin, functions, files):
    """Calls and instructions by chain."""
    folder, code = os.path.dirname(plain), functions_of(plain, files)
    parts = [(begin, end, name) for begin, end, name in code if shown(name).split(".cold")[0] in functions]
    entries = {begin: name for begin, _, name in parts if ".cold" not in name}
    table, trace, tracer = (os.path.join(folder, n) for n in ("ranges", "trace.bin", "trace"))
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x} 1\n" for begin, end, _ in parts)
    checked(["gcc", "-O2", str(HERE.parent / "paths" / "trace.c"), "-o", tracer])
    start = next(begin for begin, _, name in code if name == "_start")
    with input_of(stdin) as file:
        subprocess.run([tracer, f"{start:x}", table, trace, "./program", *arguments], stdin=file, cwd=folder, env=environment(), check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=3000)
    words = array.array("Q")
    with open(trace, "rb") as file:
        words.frombytes(file.read())
    root, signals = contexts.Node(None, "", ""), contexts.Node(None, "", "")
    one = Folder(root, signals, parts, entries, contexts.Coroutines(), contexts.jumps_of(plain, False))
    itself = jump_to_themselves(folder)
    one.call_themselves = {name for _, _, name in parts if shown(name) in itself}
    for at in range(0, len(words), 3):
        one.step(words[at + 1], words[at + 2])
    counts = collections.defaultdict(lambda: (0, 0))
    for node in contexts.all_nodes(root):
        chain = ("", tuple((site, shown(function)) for site, function in node.chain()))
        counts[chain] = tuple(map(sum, zip(counts[chain], (node.calls, node.instructions))))
    return counts


def counted(rows):
    """By chain, as contexts.counted; chains of functions with one name are added up."""
    out = collections.defaultdict(lambda: (0, 0))
    by_id = {row["id"]: row for row in rows}
    for row in rows:
        chain, at = [], row
        while at is not None:
            chain.append((at["site"], at["function"]))
            at = by_id.get(at["parent"])
        key = ("", tuple(reversed(chain)))
        out[key] = tuple(map(sum, zip(out[key], (row["calls"], row["exclusive"]))))
    return out


def compile_with(prefix, real, compiler, level, folder, output):
    languages = {building.LANGUAGES[s.suffix] for s in real.sources}
    driver = building.DRIVERS[compiler][next((l for l in ("c++", "fortran") if l in languages), "c")]
    extra = ["-J", folder] if "fortran" in languages else []
    checked([*prefix, driver, level, "-w", *real.flags, *extra, "-no-pie", *map(str, real.sources), *real.link, "-o", output], cwd=folder, timeout=3000)


def check(chord, real, compiler, level, folder):
    arguments, stdin = SMALLEST[real.name]
    # Programs see their own names: all have the same one.
    places = {mode: os.path.join(folder, mode.replace(" ", "_")) for mode in ("plain", *MODES)}
    for place in places.values():
        os.mkdir(place)
    same_assembler = ["-fno-integrated-as"] if compiler.startswith("clang") else []
    # Compiled from preprocessed text, gcc's -O0 has other code, and at -O0 nothing jumps to itself by name.
    kept_text = [] if level == "-O0" else ["-save-temps=obj"]
    static = programs.Real(real.name, real.sources, [*real.flags, *same_assembler, *kept_text], [*real.link, "-static"], None)
    plain = os.path.join(places["plain"], "program")
    compile_with([], static, compiler, level, places["plain"], plain)
    expected, said = {}, []  # by functions that keep a record: others are passed over
    for mode, flags in MODES.items():
        compile_with([chord, *flags], real, compiler, level, places[mode], os.path.join(places[mode], "program"))
        results = []
        for place in (places["plain"], places[mode]):
            with input_of(stdin) as file:
                results.append(run(["./program", *arguments], cwd=place, env=environment(), stdin=file))
        same = [(r.returncode, r.stdout) for r in results]
        if same[0] != same[1]:
            raise Failure(f"{mode}: behaves differently: {same}")
        rows = contexts.rows_of(places[mode], chord, "contexts", "program.chord")
        functions = frozenset(row["function"] for row in rows)
        if functions not in expected:
            expected[functions] = stepped(plain, arguments, stdin, functions, {s.name for s in real.sources})
        found = contexts.compare(expected[functions], counted(rows))
        said.append(f"{mode}: {found}, {sum(n for _, n in expected[functions].values())} instructions")
    return "; ".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chord", default=str(building.ROOT / "build" / "bin" / "chord"))
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--levels", default="-O0,-O2")
    parser.add_argument("names", nargs="*", choices=[[], *SMALLEST], metavar="NAME", help=", ".join(SMALLEST))
    options = parser.parse_args()
    cache, failures = fetching.cache_folder(building.ROOT), 0
    for name in options.names or SMALLEST:
        real = programs.ALL[name](cache)
        for compiler in options.compilers.split(","):
            for level in options.levels.split(",") if real.allows(compiler) else []:
                start = time.monotonic()
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        verdict, text = "ok", check(os.path.realpath(options.chord), real, compiler, level, folder)
                    except Failure as failure:
                        verdict, text, failures = "FAIL", str(failure), failures + 1
                print(f"{verdict:<4} {name} {compiler} {level}  ({time.monotonic() - start:.0f} s) {text}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

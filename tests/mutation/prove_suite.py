#!/usr/bin/env python3
"""The proof (src/verify) accepts every weaving of every program of the tests.

Each C, C++ and assembly source of tests/, those inside shell scripts included, is compiled by gcc
and clang with many options, woven in every mode and proved. A fault is a wrong weaving, or a proof that is
not good enough: both are errors. What the proof says of itself that it does not follow (docs/proof.md: too many chosen paths) is counted apart.

    prove_suite.py PROVE                            everything, some minutes
    prove_suite.py PROVE --part=1/20 --seed=N       a twentieth of the cases, drawn at random
    prove_suite.py PROVE --keep=FOLDER loops -O2    cases whose name contains all of these; their text is kept
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
LEVELS = [["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"]]
MORE = [["-O2", "-g"], ["-O2", "-fPIC"], ["-O2", "-fcf-protection=full"], ["-O2", "-fno-plt", "-fPIC"],
        ["-O2", "-fno-pie"], ["-O2", "-mavx2"], ["-O0", "-fPIC"], ["-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables"],
        ["-O3", "-funroll-loops"], ["-O2", "-fno-omit-frame-pointer"]]
ONLY_GCC = [["-O2", "-masm=intel"], ["-O2", "-fsplit-stack"], ["-O2", "-mcmodel=large", "-fno-pie"]]
BEYOND = "too many paths to look at"
HERE_DOCUMENT = re.compile(r"""cat\s*>\s*"?([\w./$-]+\.(?:c|cc|cpp|s|S))"?\s*<<\s*['"]?(\w+)['"]?\n(.*?)\n\2\n""", re.S)


def sources(folder):
    """(name, path) of every source; those inside shell scripts are written to the folder."""
    for sub in ("golden", "suite/programs", "interrupted/programs", "runtime/programs", "paths/programs", "events/programs"):
        for path in sorted((TESTS / sub).rglob("*")):
            if path.suffix in (".c", ".cc", ".cpp", ".s", ".S"):
                yield str(path.relative_to(TESTS)), path
    scripts = [(kind, path) for kind in ("e2e", "runtime") for path in (TESTS / kind).rglob("*.sh")]
    for kind, script in sorted(scripts, key=lambda one: (one[0], one[1].name)):
        for k, match in enumerate(HERE_DOCUMENT.finditer(script.read_text())):
            place = folder / f"{kind}-{script.stem}-{k}-{Path(match[1]).name}"
            place.write_text(match[3] + "\n")
            yield f"{kind}/{script.name}:{match[1]}", place


def cases(folder):
    for name, path in sources(folder):
        if path.suffix in (".s", ".S"):
            yield name, [], path, []
            continue
        cxx = path.suffix != ".c"
        for compiler in ("gcc", "clang"):
            for flags in LEVELS + MORE + (ONLY_GCC if compiler == "gcc" else []):
                yield f"{name} {compiler} {' '.join(flags)}", [compiler.replace("gcc", "g++") + ("++" if compiler == "clang" else "") if cxx else compiler], path, flags


def without_address_significance(text):
    return re.sub(r"^\s*\.addrsig.*$", "", text, flags=re.M)


def compile_case(case, number, folder):
    name, compiler, path, flags = case
    out = folder / f"case{number}.s"
    if not compiler:
        command = ["gcc", "-E", "-o", out, path] if path.suffix == ".S" else ["cp", path, out]
    else:
        extra = ["-fno-integrated-as"] if compiler[0].startswith("clang") else []
        first = path.read_text(errors="replace").split("\n")[:12]
        own = [f for line in first for m in [re.search(r"suite-flags:(.*)", line)] if m for f in m[1].split()]
        command = [*compiler, *flags, *extra, *own, "-w", f"-I{TESTS.parent}/abi", f"-I{TESTS.parent}/runtime/include", f"-I{path.parent}",
                   "-S", "-o", out, path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or not out.exists():
        return name, None, done.stderr
    out.write_text(without_address_significance(out.read_text(errors="surrogateescape")), errors="surrogateescape")
    return name, out, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prove")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", default="all")
    parser.add_argument("--keep")
    parser.add_argument("words", nargs="*")
    args, words = parser.parse_known_args()
    words += args.words
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(args.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        chosen = [c for c in cases(folder) if all(w in c[0] for w in words)]
        few, parts = map(int, args.part.split("/"))
        if parts != 1:
            random.Random(args.seed).shuffle(chosen)
            chosen = chosen[: len(chosen) * few // parts]
        sys.exit(run(args, chosen, folder))


def run(args, chosen, folder):
    faulty, proved, beyond, unwoven, uncompiled = 0, 0, 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def one(job):
            name, path, errors = compile_case(job[1], job[0], folder)
            if path is None:
                return name, None, errors
            done = subprocess.run([args.prove, args.mode, path], capture_output=True, text=True)
            if not args.keep:
                path.unlink()
            return name, done.returncode, done.stdout + (done.stderr if done.returncode not in (0, 1) else "")
        for name, status, text in pool.map(one, enumerate(chosen)):
            if status is None:
                uncompiled.append(name)
            elif status == 3:
                unwoven += 1
            elif status == 1 and BEYOND in text and all(BEYOND in line for line in text.split("\n") if "verify:" in line):
                beyond += 1
                proved += int(re.search(r"(\d+) cases", text)[1]) - text.count(BEYOND)
            elif status != 0:
                faulty += 1
                print(f"FAULT {name} ({status})\n  " + "\n  ".join(text.strip().split("\n")), flush=True)
            else:
                match = re.search(r"(\d+) cases", text)
                proved += int(match[1])
    print(f"{len(chosen)} texts: {proved} weavings proved, {faulty} texts with faults, {beyond} with more paths than it follows, {unwoven} that the assembler refuses, {len(uncompiled)} not compiled")
    if args.keep:
        print("\n".join(sorted({n.split(" ")[0] for n in uncompiled})))
    return 1 if faulty or proved == 0 else 0


if __name__ == "__main__":
    main()

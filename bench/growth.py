#!/usr/bin/env python3
"""What chord adds to compiling files of many functions, and of one function with many branches.

    bench/growth.py [--functions=1000,4000,16000] [--branches=2000,8000] [--results=bench/results]

User seconds of the compiler for each size, and of assembling its output with chord in each mode, less those of assembling it plain:
what chord adds. If that grows faster than the file, some step looks through the whole of it for each part.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import plot  # noqa: E402

MODES = {"chord": [], "--paths": ["--paths"], "--context": ["--context"], "--events": ["--events=instructions"],
         "--callsites": ["--callsites"], "--trace": ["--trace"]}


def functions(count):
    body = "".join(
        f"__attribute__((noinline)) int f{i}(int x) {{ int s = {i}; for (int k = 0; k < x; k++) {{ if (k & {1 + i % 7}) s += k * {i % 13 + 1};"
        f" else s ^= k; if (s > {1000 + i}) s -= {i % 17}; }} return s; }}\n" for i in range(count))
    return body + "int main(void) { int s = 0;\n" + "".join(f"s += f{i}({i % 5});\n" for i in range(count)) + "return s & 1; }\n"


def branches(count):
    body = "".join(f"if (x & {1 << i % 30}) r += s * {i}; else r ^= s;\n" for i in range(count))
    return f"volatile int s;\nint f(int x) {{ int r = 0;\n{body}return r; }}\n"


def user_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, cwd=folder, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(text, folder):
    """Seconds of the compiler, and what each mode adds."""
    (folder / "file.c").write_text(text)
    compiler = user_seconds(["gcc", "-O2", "-S", "file.c"], folder)
    assemble = ["gcc", "-c", "file.s", "-o", "file.o"]
    plain = user_seconds(assemble, folder)
    added = {mode: user_seconds([os.environ["CHORD"], *options, *assemble], folder) - plain for mode, options in MODES.items()}
    return compiler + plain, added


def table(kind, sizes, make, results):
    print(f"| {kind} | plain compile | " + " | ".join(f"{mode} adds" for mode in MODES) + " |")
    print("| ---: |" + " ---: |" * (1 + len(MODES)))
    curves = {"gcc -O2": [], **{mode: [] for mode in MODES}}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            compiler, added = measure(make(size), Path(folder))
        curves["gcc -O2"].append((size, compiler))
        for mode, seconds in added.items():
            curves[mode].append((size, max(seconds, 0.01)))
        cells = [f"{seconds:.2f} s ({seconds / compiler:.0%})" for seconds in added.values()]
        print(f"| {size:,} | {compiler:.1f} s | " + " | ".join(cells) + " |", flush=True)
    if len(sizes) > 1:
        (results / f"growth-{kind}.svg").write_text(plot.growth(curves, f"user seconds over the number of {kind} in a file"))
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", default="1000,4000,16000")
    parser.add_argument("--branches", default="2000,8000")
    parser.add_argument("--results", default=str(HERE / "results"), type=Path)
    options = parser.parse_args()
    for kind, make in (("functions", functions), ("branches", branches)):
        sizes = [int(size) for size in getattr(options, kind).split(",") if size]
        if sizes:
            table(kind, sizes, make, Path(options.results))


if __name__ == "__main__":
    main()

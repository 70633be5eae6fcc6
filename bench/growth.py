#!/usr/bin/env python3
"""What chord adds to compiling files of many functions, and of one function with many branches, in every mode.

    bench/growth.py [--functions=1000,4000,16000,64000] [--branches=2000,8000,32000] [--modes=…] [--compiled=4000,8000]
                    [--texts=FOLDER] [--results=bench/results]

What chord adds does not depend on who made the assembly, so each file is compiled once, and its text is assembled plain and with chord in
each mode: user seconds, and the peak of memory of any process. What chord adds is the difference. If it grows faster than the
file, some step looks through the whole of it for each part.

Compilers take minutes and more for the largest files. Those above --compiled (functions, branches) are made of copies of the text of so many, with
names changed; what compiling them takes is so many times what that took, which is less than compilers really take. --texts keeps texts
and figures, of which those that exist are not measured again: a run can be interrupted.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import plot  # noqa: E402

MODES = ["", "--paths", "--context", "--context --paths", "--events=instructions", "--callsites", "--events=instructions --budget", "--coverage",
         "--durable", "--metrics=tsc", "--metrics=tsc --paths", "--metrics=sim:l1d,sim:l2", "--metrics=sim:branch", "--trace=bits", "--trace=witness",
         "--trace=paths", "--trace", "--trace=addresses", "--trace=time"]
PLOTTED = ["", "--paths", "--context", "--callsites", "--trace"]


def functions(count):
    body = "".join(
        f"__attribute__((noinline)) int f{i}(int x) {{ int s = {i}; for (int k = 0; k < x; k++) {{ if (k & {1 + i % 7}) s += k * {i % 13 + 1};"
        f" else s ^= k; if (s > {1000 + i}) s -= {i % 17}; }} return s; }}\n" for i in range(count))
    return body + "int main(void) { int s = 0;\n" + "".join(f"s += f{i}({i % 5});\n" for i in range(count)) + "return s & 1; }\n"


def branches(count):
    body = "".join(f"if (x & {1 << i % 30}) r += s * {i}; else r ^= s;\n" for i in range(count))
    return f"volatile int s;\nint f(int x) {{ int r = 0;\n{body}return r; }}\n"


def renamed(text, k, count):
    text = re.sub(r"\.L[A-Z]*\d+", lambda m: f"{m[0]}_{k}", text)
    text = re.sub(r"\bf(\d+)\b", lambda m: f"f{int(m[1]) + k * count}", text)
    return re.sub(r"\bmain\b", f"main{k}", text)


def copies_of_functions(text, times, count):
    head, body, tail = re.fullmatch(r"(.*?\n\t\.text\n)(.*)(\t\.ident.*)", text, re.S).groups()
    return head + body + "".join("\t.text\n" + renamed(body, k, count) for k in range(1, times)) + tail


def copies_of_branches(text, times, count):
    """One function: where a copy returns, the next one goes on."""
    head, body, tail = re.fullmatch(r"(.*?\.cfi_startproc\n)(.*?)(\t\.cfi_endproc.*)", text, re.S).groups()
    parts = [re.sub(r"\n\tret\n", f"\n\tjmp\t.Lcopy{k + 1}\n", renamed(body, k, count)) for k in range(times - 1)] + [renamed(body, times - 1, count)]
    return head + "".join(f".Lcopy{k}:\n{part}" for k, part in enumerate(parts)) + tail


KINDS = {"functions": (functions, copies_of_functions), "branches": (branches, copies_of_branches)}


def usage(command, folder):
    """User seconds, and megabytes of the largest process."""
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return {"seconds": used.ru_utime, "megabytes": used.ru_maxrss / 1024}


class Figures:
    """Kept in a file, by name."""

    def __init__(self, path):
        self.path, self.known = path, json.loads(path.read_text()) if path.exists() else {}

    def get(self, name, measure):
        if name not in self.known:
            self.known[name] = measure()
            self.path.write_text(json.dumps(self.known, indent=1))
        return self.known[name]


def make_text(kind, size, compiled, folder, figures):
    """Assembly of so many, and what compiling it takes."""
    make, copy = KINDS[kind]
    part, times = (size, 1) if size <= compiled else (compiled, size // compiled)
    name, source = folder / f"{kind}{part}.s", folder / f"{kind}{part}.c"

    def compile_it():
        source.write_text(make(part))
        return usage(["gcc", "-O2", "-S", source, "-o", name], folder)

    took = figures.get(f"{kind} {part} compile", compile_it)
    if times == 1:
        return name, took
    copies = folder / f"{kind}{size}.s"
    if not copies.exists():
        copies.write_text(copy(name.read_text(), times, part))
    return copies, {key: value * times for key, value in took.items()}


def measure(kind, size, modes, compiled, folder, figures):
    """Of the plain compile, and by mode of what chord adds."""
    text, took = make_text(kind, size, compiled, folder, figures)
    assemble = ["gcc", "-c", str(text), "-o", str(folder / "object.o")]
    plain = figures.get(f"{kind} {size} plain", lambda: usage(assemble, folder))
    woven = {mode: figures.get(f"{kind} {size} {mode or 'chord'}", lambda: usage([os.environ["CHORD"], *mode.split(), *assemble], folder)) for mode in modes}
    return took["seconds"] + plain["seconds"], took["megabytes"], {
        mode: {"seconds": used["seconds"] - plain["seconds"], "megabytes": used["megabytes"]} for mode, used in woven.items()}


def table(kind, sizes, options, folder, figures):
    measured = {}
    for size in sizes:
        measured[size] = measure(kind, size, options.modes.split(";"), options.compiled[kind], folder, figures)
    print(f"| {kind} | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    print("| --- |" + " ---: |" * len(sizes))
    print("| plain compile | " + " | ".join(f"{compiler:.1f} s, {peak:,.0f} MB" for compiler, peak, _ in measured.values()) + " |")
    for mode in options.modes.split(";"):
        cells = []
        for compiler, _, added in measured.values():
            used = added[mode]
            cells.append(f"{used['seconds']:.2f} s ({used['seconds'] / compiler:.0%}), {used['megabytes']:,.0f} MB")
        print(f"| {mode or 'chord'} | " + " | ".join(cells) + " |")
    print()
    if len(sizes) > 1:
        curves = {"gcc -O2": [(size, m[0]) for size, m in measured.items()]}
        curves.update({mode or "chord": [(size, max(m[2][mode]["seconds"], 0.01)) for size, m in measured.items()] for mode in options.modes.split(";") if mode in PLOTTED})
        (options.results / f"growth-{kind}.svg").write_text(plot.growth(curves, f"user seconds over the number of {kind} in a file"))


def numbers(text):
    return [int(number) for number in text.split(",") if number]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", default=[1000, 4000, 16000, 64000], type=numbers)
    parser.add_argument("--branches", default=[2000, 8000, 32000], type=numbers)
    parser.add_argument("--compiled", default={"functions": 4000, "branches": 8000}, type=lambda text: dict(zip(KINDS, numbers(text))))
    parser.add_argument("--modes", default=";".join(MODES), help="separated by semicolons")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--results", default=HERE / "results", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.texts or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        figures = Figures(folder / "figures.json")
        for kind in KINDS:
            if getattr(options, kind):
                table(kind, getattr(options, kind), options, folder, figures)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Damaged files: programs (the sections that chord put there), objects before they are linked, kept maps, profiles of every mode and traces,
broken at random. Every command that reads them ends by itself, with status 0, 1 or 2 and in its own words; and what it says is an error,
has a warning, or is what the undamaged file says.

Traces as they are recorded have no checksums, so that nothing is lost when a process is killed: of those it is only asked that no
command fails in another way. Packed ones have.

    tests/random/damaged.py --minutes=60 --seed=1
    tests/random/damaged.py --seed=123 --count=1      that one again
"""

import argparse
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from woven_alike import chord, run

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int leaf(int n) { return n % 3 == 0 ? n / 3 : n * 2; }
__attribute__((noinline)) int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) switch (i % 5) {
      case 0: sum += leaf(i); break;
      case 1: sum ^= i; break;
      case 2: if (sum & 1) sum -= 3; break;
      case 3: sum += n > 3 ? work(n / 4) : 1; break;
      default: sum++;
    }
  return sum;
}
int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", work(20) + (argc > 5 ? leaf(argc) : 0));
  return 0;
}
"""
REPORTS = [["report", "{file}", "--by=function", "--json"], ["report", "{file}", "--by=line", "--json"],
           ["report", "{file}", "--by=instruction", "--json"], ["report", "{file}", "--by=edge", "--json"]]
# mode -> what is asked about it
MODES = {
    "": REPORTS,
    "--paths": [*REPORTS, ["paths", "{file}", "--json"]],
    "--context": [*REPORTS[:2], ["contexts", "{file}", "--json"]],
    "--context --paths": [REPORTS[0], ["contexts", "{file}", "--json"], ["paths", "{file}", "--json"]],
    "--coverage": REPORTS,
    "--metrics=sim:l1d": REPORTS[:3],
    "--metrics=tsc": REPORTS[:2],
    "--callsites": [*REPORTS[:1], ["report", "{file}", "--by=call", "--json"]],
    "--events=instructions,calls": [["events", "{file}", "--json"]],
    "--trace": [*REPORTS[:2], ["trace", "{file}", "--by=call", "--csv"], ["trace", "stats", "{file}", "--json"]],
}
SECONDS = 60


class Build:
    """A program of one mode, what it wrote, and the answers of all commands."""

    def __init__(self, folder, mode, draw):
        self.folder, self.mode, self.commands = folder, mode, MODES[mode]
        folder.mkdir()
        (folder / "p.c").write_text(SOURCE)
        self.compiler = [draw.choice(["gcc", "clang"]), draw.choice(["-O0", "-O1", "-O2"]), "-g"]
        self.must([chord(), *mode.split(), *self.compiler, "-c", "p.c", "-o", "p.o"])
        self.link()
        self.file = "p.chordtrace" if mode == "--trace" else "p.chord"
        self.must(["./p"])
        self.packed = mode == "--trace" and draw.random() < 0.5
        if self.packed:
            self.must([chord(), "trace", "pack", self.file])
        self.kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self.right = [self.ask(command) for command in self.commands]

    def must(self, command):
        done = run(command, self.folder)
        if done.returncode != 0:
            raise SystemExit(f"{command}: {done.stderr}")

    def link(self):
        self.must([chord(), *self.mode.split(), *self.compiler[:2], "p.o", "-o", "p"])

    def ask(self, command):
        words = [word.format(file=self.file) for word in command]
        return subprocess.run([chord(), *words], cwd=self.folder, capture_output=True, timeout=SECONDS, check=False)

    def restore(self):
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.kept:
                path.unlink()
        for path, data in self.kept.items():
            if not path.exists() or path.read_bytes() != data:  # a linker that fails removes what it was to make
                path.write_bytes(data)


def sections(data):
    """name -> (offset, size), of an ELF file."""
    header, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    table = [struct.unpack_from("<IIQQQQ", data, header + i * size) for i in range(count)]
    name = lambda at: data[table[names][4] + at:data.index(0, table[names][4] + at)].decode()
    return [(name(s[0]), s[4], s[5]) for s in table if s[1] != 8 and s[5] != 0]


def targets(build):
    """(what, file, where it may be broken)"""
    out = [("profile", build.folder / build.file, None)] * 3
    for what in ("p", "p.o"):
        data = build.kept[build.folder / what]
        own = [(begin, size) for name, begin, size in sections(data) if name.startswith(".chord.")]
        out += [("program" if what == "p" else "object", build.folder / what, own)] * 2
    return out + [("kept map", path, None) for path in build.kept if ".chord-maps" in str(path)]


def broken(draw, data, areas):
    """`data`, changed in one of `areas` (offset, size), or anywhere and in length."""
    out = bytearray(data)
    begin, size = draw.choice(areas) if areas else (0, len(data))
    if size == 0:
        return out
    at = begin + draw.randrange(size)
    length = min(draw.choice([1, 4, 8, 16, 64]), begin + size - at)
    kind = draw.choice(["bit", "byte", "word", "zero", "ones", "copy", "cut", "drop", "twice", "noise"])
    if kind == "bit":
        out[at] ^= 1 << draw.randrange(8)
    elif kind == "byte":
        out[at] = draw.randrange(256)
    elif kind == "word":
        at -= (at - begin) % 8
        value = draw.choice([0, 1, 2 ** 64 - 1, 2 ** 63, 2 ** 32, len(data), draw.randrange(2 ** 64)])
        out[at:at + 8] = struct.pack("<Q", value)[:begin + size - at]
    elif kind in ("zero", "ones"):
        out[at:at + length] = bytes([0 if kind == "zero" else 255]) * length
    elif kind == "copy":
        source = begin + draw.randrange(size)
        piece = data[source:min(source + length, begin + size)]
        out[at:at + len(piece)] = piece[:begin + size - at]
    elif kind == "noise":
        out[at:at + length] = draw.randbytes(length)
    elif areas is None:
        out = {"cut": out[:at], "drop": out[:at] + out[at + length:], "twice": out[:at] + out[max(0, at - length):]}[kind]
    return out


def says_so(done):
    if done.returncode == 1:
        return b"chord: error: " in done.stderr
    if b"warning" in done.stderr:
        return True
    try:
        return bool(json.loads(done.stdout).get("warnings"))
    except (ValueError, AttributeError):
        return False


def numbers_of(answer):
    """Without the size of the file, which is what it is. Rows are listed by where their functions are: in another order they say the same."""
    answer = re.sub(rb'"file_bytes":\d+', b"", answer)
    return sorted(line.rstrip(b",") for line in re.sub(rb"\]\}\s*$", b"", answer).split(b"\n")) if b'"rows":[\n' in answer else answer


def judge(done, right, may_differ):
    """What is wrong with it, or None."""
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {done.stderr[-600:]!r}"
    if any(word in done.stderr for word in (b"bug", b"bad_alloc", b"terminate", b"what()")):
        return f"{done.stderr[-600:]!r}"
    if done.returncode != 0 and b"chord: error: " not in done.stderr:
        return f"status {done.returncode} without an error"
    if numbers_of(done.stdout) == numbers_of(right.stdout) and done.returncode == right.returncode or may_differ or says_so(done):
        return None
    return f"it says something else without a word: {done.stdout[:1500]!r} instead of {right.stdout[:1500]!r}"


def check(build, draw):
    """Breaks one thing. (what, its kind, anything wrong)"""
    what, path, areas = draw.choice(targets(build))
    path.write_bytes(broken(draw, build.kept[path], areas))
    if what == "object":
        done = run([chord(), *build.mode.split(), *build.compiler[:2], "p.o", "-o", "p"], build.folder)
        if done.returncode != 0:  # the linker may not like it
            return what, "bug" in done.stderr and done.stderr
    may_differ = what == "profile" and build.mode == "--trace" and not build.packed
    order = list(range(len(build.commands)))
    draw.shuffle(order)
    for n in order[:2]:
        try:
            problem = judge(build.ask(build.commands[n]), build.right[n], may_differ)
        except subprocess.TimeoutExpired:
            problem = f"no end within {SECONDS} s"
        if problem:
            return what, f"{' '.join(build.commands[n])}: {problem}"
    return what, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--count", type=int, default=1000000)
    parser.add_argument("--minutes", type=float, default=1.0, help="no case begins later")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="damaged."))
    os.environ.update({"CHORD_FLAGS": "", "LC_ALL": "C", "NO_COLOR": "1"})
    end = time.monotonic() + 60 * options.minutes
    done, failed = {}, 0
    builds = {}
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        # Ten builds serve all cases: each mode has one, whatever the seed of the first.
        mode = list(MODES)[seed % len(MODES)]
        if mode not in builds:
            builds[mode] = Build(work / str(len(builds)), mode, random.Random(mode))
        what, problem = check(builds[mode], random.Random(seed))
        builds[mode].restore()
        done[what] = done.get(what, 0) + 1
        if problem:
            failed += 1
            print(f"seed {seed}: {mode or 'default'}, {what}: {problem}\nagain: tests/random/damaged.py --seed={seed} --count=1", flush=True)
    shutil.rmtree(work)
    print(f"{sum(done.values())} damaged files ({', '.join(f'{n} {what}s' for what, n in sorted(done.items()))}), {failed} failed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())

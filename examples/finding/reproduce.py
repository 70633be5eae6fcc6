#!/usr/bin/env python3
"""Reproduces docs/finding.md: a hot, dense path of ncompress, before and after it was improved.

    examples/finding/reproduce.py [--folder=FOLDER] [--megabytes=N] [--picture=FILE.svg]

Fetches the source of Debian's ncompress (needs apt), builds it twice, as it is and with key and code of a string in one slot, plain and with chord, runs all on the same text,
and prints what `chord paths --metric=sim:l1d` says of each, and the processor time of the plain builds."""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "real"))
import fetch as fetching  # noqa: E402

FLAGS = ["-O2", "-g", "-w", "-DDIRENT=1", "-DUSERMEM=800000", "-DREGISTERS=3"]  # as its Makefile has them
METRICS = "--metrics=sim:l1d=skylake,sim:l2=skylake"


def text(size, source):
    """Some words of the program's own source after each other, again and again: the same on every machine."""
    words = source.read_text(encoding="latin-1").split()
    chosen, made, out = random.Random(1), 0, []
    while made < size:
        start = chosen.randrange(len(words) - 8)
        out.append(" ".join(words[start:start + chosen.randrange(1, 8)]))
        made += len(out[-1].encode()) + 1
    return "\n".join(out).encode()[:size]


# Of the tables for machines without segments: what is replaced, by what, how often.
ONE_SLOT = [
    (r"count_int(\s+)htab\[HSIZE\]", r"struct { int key; unsigned short code; }\1slot[HSIZE]", 1),
    (r"(htabof\(i\)\s+)htab\[i\]", r"\1slot[i].key", 1),
    (r"(\bcodetabof\(i\)\s+)codetab\[i\]", r"\1slot[i].code", 1),
    (r"(tab_prefixof\(i\)\s+)codetabof\(i\)", r"\1codetab[i]", 1),
    (r"\(htab\)\)\[i\]", "(slot))[i]", 1),
    (r"htab\[HSIZE-1\]", "slot[HSIZE-1]", 1),
    (r"\(htab, -1, sizeof\(htab\)\)", "(slot, -1, sizeof(slot))", 1),
    (r"(fc = )(fcode\.code)", r"\1(int)\2", 3),
    (r"(fc )(fcode\.code)", r"\1((int)\2)", 2),
]


def with_one_slot(source):
    before, marker, rest = source.partition("/* Normal machine */")
    assert marker, "another version of the program"
    for pattern, text, times in ONE_SLOT:
        rest, found = re.subn(pattern, text, rest)
        assert found == times, f"another version of the program: {pattern} is there {found} times"
    return before + marker + rest


def chord():
    return os.environ.get("CHORD", str(ROOT / "build" / "bin" / "chord"))


def fixed(command):
    """At the same addresses in every run, where that can be had."""
    return ["setarch", "-R", *command] if shutil.which("setarch") else command


def seconds(commands):
    """Of the processor, the least that each took of fifteen runs in turns."""
    spent = [[] for _ in commands]
    for _ in range(15):
        for command, times in zip(commands, spent):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime)
    return [min(times) for times in spent]


def study(name, source, folder, sample, headers):
    """Builds and runs one version; what it wrote, and what its paths missed."""
    plain, woven = folder / f"{name}-plain", folder / f"{name}-woven"
    subprocess.run(["gcc", *FLAGS, f"-I{headers}", source, "-o", plain], check=True)
    subprocess.run([chord(), "--paths", METRICS, "gcc", *FLAGS, f"-I{headers}", source, "-o", woven], check=True)
    profile = Path(f"{woven}.chord")
    profile.unlink(missing_ok=True)
    out = subprocess.run(fixed([woven, "-c", sample]), check=True, capture_output=True).stdout
    assert out == subprocess.run([plain, "-c", sample], check=True, capture_output=True).stdout, "the woven program writes something else"
    report = {m: json.loads(subprocess.run([chord(), "paths", profile, f"--metric={m}", "--threshold=1", "--json"], check=True, capture_output=True).stdout)
              for m in ("sim:l1d", "sim:l2")}
    return {"out": out, "report": report, "plain": [plain, "-c", sample]}


def show(name, result):
    for metric, report in result["report"].items():
        one = report["hot"][0]
        print(f"\n{name}: {report['total']:,} {metric} in all; {one['dense']} dense paths take {100 * one['dense_value'] / report['total']:.1f} %")
        print(f"  {'misses':>12} {'share':>6} {'runs':>12} {'a run':>6}  path")
        for row in report["rows"][:5]:
            print(f"  {row['value']:12,} {100 * row['share']:5.1f}% {row['count']:12,} {row['value'] / row['count']:6.2f}  {row['function']} {row['path']} ({row['class']})")


def picture(before, after):
    """Misses of the hot paths, before and after, as SVG."""
    old, new = ({row["path"]: row for row in r["report"]["sim:l1d"]["rows"]} for r in (before, after))
    paths = [row["path"] for row in before["report"]["sim:l1d"]["rows"][:6]]
    most = max(old[p]["value"] for p in paths)
    parts, width = [], 90 * len(paths) + 90
    for i, path in enumerate(paths):
        for k, (rows, color) in enumerate(((old, "#e76f51"), (new, "#2a9d8f"))):
            row = rows.get(path, {"value": 0, "count": 1})
            height, x = 200 * row["value"] / most, 70 + 90 * i + 34 * k
            parts.append(f'<rect x="{x}" y="{270 - height:.1f}" width="32" height="{height:.1f}" fill="{color}"/>')
            parts.append(f'<text x="{x + 16}" y="{264 - height:.1f}" text-anchor="middle">{row["value"] / row["count"]:.2f}</text>')
        parts.append(f'<text x="{70 + 90 * i + 33}" y="288" text-anchor="middle">path {path}</text>')
    for tick in range(5):
        y = 270 - 50 * tick
        parts.append(f'<line x1="62" x2="{width - 16}" y1="{y}" y2="{y}" stroke="#8886"/><text x="58" y="{y + 4}" text-anchor="end">{most * tick / 4e6:.1f} M</text>')
    key = "".join(f'<rect x="{62 + 90 * i}" y="26" width="10" height="10" fill="{c}"/><text x="{77 + 90 * i}" y="35">{n}</text>'
                  for i, (n, c) in enumerate((("before", "#e76f51"), ("after", "#2a9d8f"))))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="300"><rect width="100%" height="100%" fill="#fff"/><style>text{{font:12px sans-serif;fill:#556}}</style>'
            f'<text x="62" y="16">ncompress, hot paths: misses in a data cache of 32 KB; above bars: of each run</text>{key}{"".join(parts)}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", help="where everything goes and stays; else a temporary one")
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--picture", help="write the paths' misses as a picture, too", metavar="FILE.svg")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        original = fetching.fetch("ncompress", fetching.cache_folder(ROOT)) / "compress42.c"
        improved = folder / "compress42.c"
        improved.write_text(with_one_slot(original.read_text(encoding="latin-1")), encoding="latin-1")
        sample = folder / "sample.txt"
        sample.write_bytes(text(int(options.megabytes * 1e6), original))
        before = study("before", original, folder, sample, original.parent)
        after = study("after", improved, folder, sample, original.parent)
        assert before["out"] == after["out"], "the improved program writes something else"
        if options.picture:
            Path(options.picture).write_text(picture(before, after), encoding="utf-8")
        show("before", before)
        show("after", after)
        for metric in ("sim:l1d", "sim:l2"):
            old, new = before["report"][metric]["total"], after["report"][metric]["total"]
            print(f"\n{metric}: {old:,} -> {new:,} ({100 * (new / old - 1):+.1f} %)", end="")
        old, new = seconds([before["plain"], after["plain"]])
        print(f"\ntime: {old:.3f} s -> {new:.3f} s ({100 * (new / old - 1):+.1f} %), same output")


if __name__ == "__main__":
    main()

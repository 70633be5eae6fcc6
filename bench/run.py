#!/usr/bin/env python3
"""What counting costs: chord beside gcov, the compilers' own instrumentation and BOLT, on
real programs. See README.md for the method.

    bench/run.py                                everything, about an hour
    bench/run.py --quick --programs=lua,bzip2   a first impression
    bench/run.py --measure=instructions; bench/run.py --reuse --measure=time
    bench/run.py --measure=memory               only the bytes that counters of paths take
"""

import argparse
import dataclasses
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import programs  # noqa: E402  (puts the oracle's folder on the path)
import build as building  # noqa: E402
import configurations  # noqa: E402
import fetch as fetching  # noqa: E402
import measure  # noqa: E402
import plot  # noqa: E402


def build_all(real, options, folder, size):
    """Executables by configuration; what a tool cannot build is left out and named."""

    def train(binary):
        measure.cpu_seconds(binary, real.runs(max(1, size // 8)))
        return next(binary.parent.glob("*.chord")).rename(folder / "training.chord")

    binaries = {}
    for name in options.chosen:
        c = configurations.ALL[name]
        if not real.allows(c.family):
            continue
        binary = configurations.build(real, c, folder, train, options.reuse)
        if binary is None:
            print(f"  {real.name:8} {name:16} cannot be built", flush=True)
        else:
            binaries[name] = binary
    return binaries


def count_instructions(real, binaries, small, plain, rows):
    counted = {name: measure.instructions(binary, real.runs(small))
               for name, binary in binaries.items() if name != "control" and not configurations.ALL[name].under}
    counted["control"] = counted["plain"]
    for name in binaries:
        reference = configurations.ALL[name].reference
        if reference is not None and name in counted:
            rows.setdefault(name, {})["instructions"] = counted[name] / counted[reference]
            print(f"  {real.name:8} {name:16} instructions {rows[name]['instructions']:.3f}", flush=True)
    rows["callgrind"] = {"slowdown": measure.callgrind_slowdown(plain, real.runs(small))}


def measure_time(real, binaries, size, repeats, rows):
    for name, binary in binaries.items():
        reference = configurations.ALL[name].reference
        if reference is None:
            continue
        ratios = measure.paired(binary, binaries[reference], real.runs(size), repeats)
        row = rows.setdefault(name, {})
        row["time"], row["ratios"] = dataclasses.asdict(measure.summarise(ratios)), ratios
        print(f"  {real.name:8} {name:16} time {row['time']['median']:.3f}"
              f" ({row['time']['low']:.3f}–{row['time']['high']:.3f})", flush=True)


def weigh_tables(real, binaries, rows):
    """Bytes of the counters of paths: in each thread, and shared by all."""
    for name, binary in binaries.items():
        if configurations.ALL[name].counts_paths:
            tables = measure.path_tables(binary, real.runs(1), building.chord())
            rows.setdefault(name, {})["tables"] = tables
            print(f"  {real.name:8} {name:16} tables {tables['per_thread']} + {tables['shared']} bytes", flush=True)


def bench_program(real, options, known):
    """`known`: what an earlier run found, to be completed."""
    folder = Path(options.work) / real.name
    if options.measure == "memory":
        weigh_tables(real, build_all(real, options, folder, 1), known.setdefault("rows", {}))
        return known
    plain = configurations.build(real, configurations.ALL["plain"], folder, None, options.reuse)
    size = known.get("size") or measure.calibrated_size(plain, real.runs, options.seconds)
    binaries = build_all(real, options, folder, size)
    small = max(1, size // options.shrink)
    rows = known.get("rows", {})
    weigh_tables(real, binaries, rows)
    if options.measure != "time":
        count_instructions(real, binaries, small, plain, rows)
    if options.measure != "instructions":
        measure_time(real, binaries, size, options.repeats, rows)
    return {"size": size, "small": small, "rows": rows}


def section_size(path, name):
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split("]", 1)[1].split()[4], 16) for line in text.splitlines()
               if "]" in line and line.split("]", 1)[1].split()[:1] == [name])


def bench_build(options, cache):
    """Compiling sqlite3.c -O2 -g: time and size with and without chord."""
    source = programs.sqlite(cache).sources[0]
    folder = Path(options.work) / "compile"
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["-O2", "-g", "-w", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-c", str(source)]
    seconds = {"plain": [], "chord": []}
    for _ in range(3):
        for side, prefix in (("plain", []), ("chord", [building.chord()])):
            start = time.monotonic()
            subprocess.run([*prefix, "gcc", *flags, "-o", folder / f"{side}.o"], check=True)
            seconds[side].append(time.monotonic() - start)
    plain_size = os.path.getsize(folder / "plain.o")
    map_size = section_size(folder / "chord.o", ".chord.map")
    return {"seconds": seconds, "ratio": sorted(c / p for c, p in zip(seconds["chord"], seconds["plain"]))[1],
            "object": plain_size, "woven_object": os.path.getsize(folder / "chord.o"), "map": map_size,
            "map_share": map_size / plain_size}


def means(result, name):
    """Geometric means of time and instructions over the programs that have the configuration."""
    rows = [p["rows"][name] for p in result["programs"].values() if name in p["rows"]]
    return (measure.geometric_mean(r["time"]["median"] for r in rows if "time" in r),
            measure.geometric_mean(r["instructions"] for r in rows if "instructions" in r))


def cell(row):
    if row is None:
        return "–"
    seconds = f"{row['time']['median']:.2f}" if "time" in row else "–"
    return f"{seconds}, {row['instructions']:.3f}" if "instructions" in row else f"{seconds}, –"


def mean_cell(mean):
    """What was not measured has no mean."""
    return "–" if math.isnan(mean) else f"{mean:.3f}"


def table_of_tables(result):
    """Memory that counting paths takes, a row for each configuration that does."""
    names = list(result["programs"])
    found = {peer: [result["programs"][n]["rows"].get(peer, {}).get("tables") for n in names] for peer in result["configurations"]}
    rows = [f"| {peer} | " + " | ".join(tables_cell(t) for t in tables) + " |" for peer, tables in found.items() if any(tables)]
    if not rows:
        return []
    return ["", "| KB of counters of paths: in each thread + shared | " + " | ".join(names) + " |",
            "| --- |" + " ---: |" * len(names), *rows]


def tables_cell(tables):
    return "–" if tables is None else f"{tables['per_thread'] / 1024:.0f} + {tables['shared'] / 1024:.0f}"


def table(result):
    names = list(result["programs"])
    lines = ["| time, instructions | " + " | ".join(names) + " | geometric mean |", "| --- |" + " ---: |" * (len(names) + 1)]
    for peer in result["configurations"]:
        cells = [cell(result["programs"][n]["rows"].get(peer)) for n in names]
        mean_time, mean_executed = means(result, peer)
        lines.append(f"| {peer} | " + " | ".join(cells) + f" | **{mean_cell(mean_time)}, {mean_cell(mean_executed)}** |")
    lines += table_of_tables(result)
    slow = [p["rows"]["callgrind"]["slowdown"] for p in result["programs"].values() if "callgrind" in p["rows"]]
    if slow:
        lines += ["", f"callgrind takes {measure.geometric_mean(slow):.0f}× the plain time ({min(slow):.0f}–{max(slow):.0f}×)."]
    if "build" in result:
        b = result["build"]
        lines += ["", f"Compiling sqlite3.c (-O2 -g) takes {b['ratio']:.2f}× the plain time; the map is "
                      f"{100 * b['map_share']:.1f} % of the plain object."]
    return "\n".join(lines) + "\n"


def keep(result, results):
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{result['date']}.json").write_text(json.dumps(result, indent=1) + "\n")
    (results / "latest.md").write_text(table(result))
    (results / "latest.svg").write_text(plot.overhead(result, {n: means(result, n) for n in result["configurations"]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(programs.ALL), help="comma-separated")
    parser.add_argument("--configurations", default=",".join(configurations.ALL), help="comma-separated")
    parser.add_argument("--repeats", type=int, default=11, help="pairs per configuration")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of one plain run")
    parser.add_argument("--shrink", type=int, default=16, help="inputs are this much smaller under valgrind")
    parser.add_argument("--quick", action="store_true", help="5 pairs of 0.3 s, no compile-time measurement")
    parser.add_argument("--measure", choices=["both", "instructions", "time", "memory"], default="both",
                        help="all but time can be measured on a busy machine; results of one day are put together")
    parser.add_argument("--reuse", action="store_true", help="take executables that an earlier run has built")
    parser.add_argument("--work", default=str(ROOT / "build" / "bench"), help="where to build")
    parser.add_argument("--results", help="where results are kept (default: bench/results; with --quick: the work folder)")
    options = parser.parse_args()
    if options.quick:
        options.repeats, options.seconds = 5, 0.3
    # What others are compared with is always there.
    options.chosen = list(dict.fromkeys(["plain", "clang plain", *options.configurations.split(",")]))
    if options.measure == "memory":
        options.chosen = [n for n in options.chosen if configurations.ALL[n].counts_paths]
    cache = fetching.cache_folder(ROOT)
    result = {"schema": 2, "date": time.strftime("%Y-%m-%d"), "machine": measure.machine(), "repeats": options.repeats,
              "seconds": options.seconds, "configurations": [n for n in options.chosen if configurations.ALL[n].reference],
              "programs": {}}
    results = Path(options.results or (options.work if options.quick else HERE / "results"))
    earlier = results / f"{result['date']}.json"
    if options.measure != "both" and earlier.exists():
        known = json.loads(earlier.read_text())
        named = {*known["configurations"], *result["configurations"]}
        repeats = known["repeats"] if options.measure == "memory" else options.repeats
        result = {**known, "repeats": repeats, "configurations": [n for n in configurations.ALL if n in named]}
    for name in options.programs.split(","):
        known = result["programs"].get(name, {})
        result["programs"][name] = bench_program(programs.ALL[name](cache), options, known)
        keep(result, results)  # a run that is cut short has measured something
    if not options.quick and options.measure != "memory":
        result["build"] = bench_build(options, cache)
        keep(result, results)
    print(table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What counting costs: chord beside gcov and the compilers' own instrumentation, on
real programs. See README.md for the method.

    bench/run.py                                everything, about half an hour
    bench/run.py --quick --programs=lua,bzip2   a first impression
"""

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import measure  # noqa: E402
import programs  # noqa: E402
import build as building  # noqa: E402
import fetch as fetching  # noqa: E402

# name -> (compiler family, chord's build options or None, further flags, compared with)
CONFIGURATIONS = {
    "plain": ("gcc", None, [], None),
    "control": ("gcc", None, [], "plain"),
    "gcov": ("gcc", None, ["--coverage"], "plain"),
    "gcc PGO": ("gcc", None, ["-fprofile-generate", "-fprofile-update=single"], "plain"),
    "chord redundant": ("gcc", ["--place=redundant"], [], "plain"),
    "chord": ("gcc", [], [], "plain"),
    "clang plain": ("clang", None, [], None),
    "clang PGO": ("clang", None, ["-fprofile-generate"], "clang plain"),
    "chord clang": ("clang", [], [], "clang plain"),
}
PEERS = [name for name, c in CONFIGURATIONS.items() if c[3]]


def compile_program(real, name, folder):
    """One executable, objects compiled one by one as a build system would."""
    family, chord_options, extra, _ = CONFIGURATIONS[name]
    target = folder / name.replace(" ", "-")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    program = building.Program(real.name, real.sources, family)
    prefix = [] if chord_options is None else [building.chord(), *chord_options]
    objects = []
    for index, source in enumerate(real.sources):
        out = target / f"{index}-{source.stem}.o"
        driver = program.driver(building.LANGUAGES[source.suffix])
        command = [*prefix, driver, "-O2", "-w", *extra, *real.flags, "-c", source, "-o", out]
        subprocess.run([str(c) for c in command], cwd=target, check=True)
        objects.append(out)
    command = [*prefix, program.linker_driver(), "-O2", *extra, *objects, "-o", target / "prog", *real.link]
    subprocess.run([str(c) for c in command], cwd=target, check=True)
    return target / "prog"


def bench_program(real, options):
    folder = Path(options.work) / real.name
    binaries = {name: compile_program(real, name, folder) for name in CONFIGURATIONS}
    size = measure.calibrated_size(binaries["plain"], real.runs, options.seconds)
    small = max(1, size // options.shrink)
    counted = {name: measure.instructions(binary, real.runs(small))
               for name, binary in binaries.items() if name != "control"}
    rows = {}
    for name in PEERS:
        reference = CONFIGURATIONS[name][3]
        ratios = measure.paired(binaries[name], binaries[reference], real.runs(size), options.repeats)
        executed = 1.0 if name == "control" else counted[name] / counted[reference]
        rows[name] = {"time": dataclasses.asdict(measure.summarise(ratios)), "ratios": ratios,
                      "instructions": executed}
        print(f"  {real.name:8} {name:16} time {rows[name]['time']['median']:.3f}"
              f" ({rows[name]['time']['low']:.3f}–{rows[name]['time']['high']:.3f})"
              f"  instructions {executed:.3f}", flush=True)
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


def table(result):
    names = list(result["programs"])
    lines = ["| time, instructions | " + " | ".join(names) + " | geometric mean |", "| --- |" + " ---: |" * (len(names) + 1)]
    for peer in PEERS:
        rows = [result["programs"][n]["rows"][peer] for n in names]
        cells = [f"{r['time']['median']:.2f}, {r['instructions']:.3f}" for r in rows]
        mean_time = measure.geometric_mean(r["time"]["median"] for r in rows)
        mean_executed = measure.geometric_mean(r["instructions"] for r in rows)
        lines.append(f"| {peer} | " + " | ".join(cells) + f" | **{mean_time:.3f}, {mean_executed:.3f}** |")
    if "build" in result:
        b = result["build"]
        lines += ["", f"Compiling sqlite3.c (-O2 -g) takes {b['ratio']:.2f}× the plain time; the map is "
                      f"{100 * b['map_share']:.1f} % of the plain object."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(programs.ALL), help="comma-separated")
    parser.add_argument("--repeats", type=int, default=15, help="pairs per configuration")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of one plain run")
    parser.add_argument("--shrink", type=int, default=8, help="inputs are this much smaller under valgrind")
    parser.add_argument("--quick", action="store_true", help="5 pairs of 0.3 s, no compile-time measurement")
    parser.add_argument("--work", default=str(ROOT / "build" / "bench"), help="where to build")
    parser.add_argument("--results", help="where results are kept (default: bench/results; with --quick: the work folder)")
    options = parser.parse_args()
    if options.quick:
        options.repeats, options.seconds = 5, 0.3
    cache = fetching.cache_folder(ROOT)
    stamp = time.strftime("%Y-%m-%d")
    result = {"schema": 1, "date": stamp, "machine": measure.machine(), "repeats": options.repeats, "programs": {}}
    for name in options.programs.split(","):
        result["programs"][name] = bench_program(programs.ALL[name](cache), options)
    if not options.quick:
        result["build"] = bench_build(options, cache)
    results = Path(options.results or (options.work if options.quick else HERE / "results"))
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{stamp}.json").write_text(json.dumps(result, indent=1) + "\n")
    (results / "latest.md").write_text(table(result))
    print(table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())

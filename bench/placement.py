#!/usr/bin/env python3
"""How long placing and reconstructing take, from a thousand to ten million edges.

    bench/placement.py PLACEMENT_BENCH [--results=FOLDER]

Runs the micro-benchmark (micro/placement_bench.cc), prints time and peak memory of each step
and keeps the plot: on its scales a straight line with the slope of the dashed one is linear.
"""

import argparse
import json
import math
import subprocess
from pathlib import Path

import plot

STEPS = {"ours": "estimate weights", "place": "place counters", "solve": "reconstruct counts", "number": "number paths"}


def measure(program):
    """step -> [(edges, seconds, bytes per edge)]"""
    done = subprocess.run([program, "--benchmark_format=json", f"--benchmark_filter=^({'|'.join(STEPS)})/"],
                          capture_output=True, text=True, check=True)
    found = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        step, edges = run["name"].split("/")
        found.setdefault(step, []).append((int(edges), run["cpu_time"] / 1000, run["bytes/edge"]))
    return found


def slope(points):
    """Of the last two on logarithmic scales: 1 is linear."""
    (a, s, _), (b, t, _) = points[-2:]
    return math.log(t / s) / math.log(b / a)


def table(found):
    sizes = [edges for edges, _, _ in next(iter(found.values()))]
    lines = ["| seconds for edges | " + " | ".join(f"{n:,}" for n in sizes) + " | bytes per edge | growth |",
             "| --- |" + " ---: |" * (len(sizes) + 2)]
    for step, points in found.items():
        lines.append(f"| {STEPS[step]} | " + " | ".join(f"{s:.4f}" for _, s, _ in points)
                     + f" | {max(b for _, _, b in points):.0f} | {slope(points):.2f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--results", default=str(Path(__file__).resolve().parent / "results"))
    options = parser.parse_args()
    found = measure(options.program)
    Path(options.results).mkdir(parents=True, exist_ok=True)
    (Path(options.results) / "placement.md").write_text(table(found))
    curves = {STEPS[step]: [(n, s) for n, s, _ in points] for step, points in found.items()}
    (Path(options.results) / "placement.svg").write_text(plot.growth(curves))
    print(table(found))


if __name__ == "__main__":
    main()

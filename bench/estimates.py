#!/usr/bin/env python3
"""How good counters are that are placed by estimate: increments they execute, over those of counters
placed by the run's own counts (`chord study placement`), on the real programs.

    bench/estimates.py [--programs=lua,bzip2] [--work=FOLDER] [--reuse]

gcc's builds and clang's apart, each with its geometric mean. Inputs are those that instructions are
counted on in results/.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real"), str(ROOT / "tests" / "oracle")]

import build as building  # noqa: E402
import configurations  # noqa: E402
import fetch  # noqa: E402
import measure  # noqa: E402
import programs  # noqa: E402


def sizes():
    """By program, of the newest results."""
    newest = max((HERE / "results").glob("*.json"))
    return {name: p["small"] for name, p in json.loads(newest.read_text())["programs"].items()}


def ratio(binary, runs):
    measure.cpu_seconds(binary, runs)
    profile = next(binary.parent.glob("*.chord"))
    said = subprocess.run([building.chord(), "study", "placement", profile, "--json"], check=True, capture_output=True, text=True)
    rows = json.loads(said.stdout)["means"]
    return next(r["of_measured"] for r in rows if r["place"] == "edge" and r["weights"] == "ours")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", help="comma-separated")
    parser.add_argument("--work", help="where to build")
    parser.add_argument("--reuse", action="store_true", help="take executables that an earlier run has built")
    options = parser.parse_args()
    cache = fetch.cache_folder(ROOT)
    size = sizes()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(options.work or scratch)
        for name in ("chord", "chord clang"):
            found = {}
            for program in options.programs.split(",") if options.programs else programs.ALL:
                real = programs.ALL[program](cache)
                c = configurations.ALL[name]
                if not real.allows(c.family):
                    continue
                binary = configurations.build(real, c, work / program, None, options.reuse)
                found[program] = ratio(binary, real.runs(size.get(program, 1)))
                print(f"{name:12} {program:10} {found[program]:.3f}", flush=True)
            mean, average = measure.geometric_mean(found.values()), sum(found.values()) / len(found)
            print(f"{name:12} geometric mean {mean:.3f}, arithmetic {average:.3f}", flush=True)


if __name__ == "__main__":
    main()

"""Runs many comparisons, a few at a time: one line each, details of what failed,
a closing line with the totals."""

import os
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build as building
import compare as comparing


def add_options(parser):
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="comparisons at a time")
    parser.add_argument("--work", metavar="FOLDER", default=None, help="where to build (default: build/<runner>)")
    parser.add_argument("--keep", action="store_true", help="keep what was built for passing cases too")
    parser.add_argument("--verbose", action="store_true", help="also print a line for each passing case")


class Pool:
    """`rerun` is the command that repeats one case, with {} for its name."""

    def __init__(self, options, runner, rerun):
        self.jobs, self.keep, self.verbose = options.jobs, options.keep, options.verbose
        self.work = Path(options.work or building.ROOT / "build" / runner).resolve()
        self.rerun = rerun
        self.lock = threading.Lock()
        self.passed = self.failed = self.too_slow = self.left_out = 0
        self.functions = self.skipped = 0
        self.instructions = 0

    def _say(self, verdict, name, text, seconds):
        with self.lock:
            if verdict != "ok" or self.verbose:
                print(f"{verdict:<4} {name}  ({seconds:.1f} s) {text}", flush=True)
            if verdict == "FAIL":
                print(f"     again: {self.rerun.format(repr(name))}", flush=True)

    def _one(self, program):
        folder = self.work / program.name.replace("/", "_").replace(" ", "_")
        shutil.rmtree(folder, ignore_errors=True)
        start = time.monotonic()
        try:
            result = comparing.compare(program, folder)
            verdict = "ok" if result.good else "FAIL"
            text = result.summary() + ("" if result.good else "\n" + result.details())
            with self.lock:
                self.functions += result.present
                self.skipped += len(result.skipped)
                self.instructions += result.instructions
        except comparing.TooSlow as slow:
            verdict, text = "slow", str(slow)
        except Exception as error:  # A case that cannot be judged has failed, whatever the cause.
            verdict, text = "FAIL", f"{type(error).__name__}: {error}"
        self._say(verdict, program.name, text, time.monotonic() - start)
        if verdict != "FAIL" and not self.keep:
            shutil.rmtree(folder, ignore_errors=True)
        with self.lock:
            self.passed += verdict == "ok"
            self.failed += verdict == "FAIL"
            self.too_slow += verdict == "slow"

    def leave_out(self, name, why):
        """A case that would show nothing; the closing line counts it."""
        with self.lock:
            self.left_out += 1
            print(f"left out {name}: {why}", flush=True)

    def run(self, programs):
        with ThreadPoolExecutor(self.jobs) as executor:
            for future in [executor.submit(self._one, program) for program in programs]:
                future.result()
        return self.close()

    def close(self):
        share = 100.0 * self.skipped / self.functions if self.functions else 0.0
        print(f"{self.functions} functions, {self.skipped} skipped ({share:.2f} %), "
              f"{self.instructions} instructions compared")
        slow = f", {self.too_slow} too slow" if self.too_slow else ""
        left_out = f", {self.left_out} left out" if self.left_out else ""
        print(f"{self.passed} passed, {self.failed} failed{slow}{left_out}")
        sys.stdout.flush()
        return 0 if self.failed == 0 and self.passed > 0 else 1

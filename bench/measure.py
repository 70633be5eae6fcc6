"""CPU time of paired runs, and instructions executed as valgrind counts them."""

import json
import math
import os
import re
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Ratio:
    """Ratios of paired runs. Half of them lie between `low` and `high`."""

    median: float
    low: float
    high: float
    repeats: int


def summarise(ratios):
    ordered = sorted(ratios)
    low, _, high = statistics.quantiles(ordered, n=4) if len(ordered) > 1 else ordered * 3
    return Ratio(statistics.median(ordered), low, high, len(ordered))


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def environment(folder):
    """Every tool's counts go to files of the run's own folder."""
    kept = {k: os.environ[k] for k in ("PATH", "HOME") if k in os.environ}
    return {**kept, "LC_ALL": "C", "CHORD_OUT": str(folder / "counts.chord"),
            "LLVM_PROFILE_FILE": str(folder / "counts.profraw")}


def forget_counts(folder):
    """Starting from nothing each time: merging with earlier counts is not what is measured."""
    for pattern in ("*.chord", "*.profraw", "**/*.gcda"):
        for path in folder.glob(pattern):
            path.unlink()


def cpu_seconds(binary, runs):
    """User and system time of running the program once with each of its inputs."""
    folder, total = binary.parent, 0.0
    forget_counts(folder)
    for run in runs:
        with tempfile.TemporaryFile() as stdin, open(os.devnull, "wb") as nowhere:
            stdin.write(run.stdin)
            stdin.seek(0)
            child = subprocess.Popen([f"./{binary.name}", *run.arguments], cwd=folder, env=environment(folder),
                                     stdin=stdin, stdout=nowhere, stderr=nowhere)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode < 0:
                raise SystemExit(f"{binary}: ended by signal {-child.returncode}")
            total += usage.ru_utime + usage.ru_stime
    return total


def paired(subject, reference, runs, repeats):
    """Ratios subject/reference, each pair run back to back, order alternating."""
    ratios = []
    for i in range(repeats):
        if i % 2:
            mine, theirs = cpu_seconds(subject, runs), cpu_seconds(reference, runs)
        else:
            theirs, mine = cpu_seconds(reference, runs), cpu_seconds(subject, runs)
        ratios.append(mine / theirs)
    return ratios


def instructions(binary, runs):
    """Instructions executed in user space, libraries included."""
    folder, total = binary.parent, 0
    forget_counts(folder)
    for run in runs:
        out = folder / "callgrind.out"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", f"./{binary.name}",
                        *run.arguments], cwd=folder, env=environment(folder), input=run.stdin, capture_output=True,
                       check=False)
        total += int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])
        out.unlink()
    return total


def path_tables(binary, runs, chord):
    """Bytes of the program's counters of paths; shared are those in records of calling contexts, too. The others are there before
    anything runs, but chord says so of a profile."""
    cpu_seconds(binary, runs)
    profile = next(binary.parent.glob("*.chord"))
    said = subprocess.run([chord, "paths", profile, "--by=function", "--json"], check=True, capture_output=True, text=True)
    head = json.loads(said.stdout)
    return {"per_thread": head["bytes_per_thread"], "shared": head["bytes_shared"] + head["bytes_in_records"]}


def callgrind_slowdown(binary, runs):
    """CPU time under callgrind over CPU time without, its own start-up included."""
    usage = os.times()
    before = usage.children_user + usage.children_system
    instructions(binary, runs)
    usage = os.times()
    return (usage.children_user + usage.children_system - before) / max(cpu_seconds(binary, runs), 0.001)


def calibrated_size(binary, inputs, seconds):
    """The size of input that keeps the plain program busy for `seconds`."""
    size, before = 1, 0.0
    while True:
        spent = cpu_seconds(binary, inputs(size))
        if spent < before / 2:
            raise SystemExit(f"{binary}: larger inputs take less time ({spent:.2f} s at size {size}): are they refused?")
        before = spent
        if spent >= 0.8 * seconds or size > 100000:
            return size
        size = max(size + 1, int(size * min(20.0, seconds / max(spent, 0.005))))


def machine():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    return {"cpu": model[1] if model else "unknown", "cores": os.cpu_count(), "kernel": os.uname().release}

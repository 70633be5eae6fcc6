"""Exact executions of every instruction, as valgrind's callgrind sees them."""

import os
import subprocess

# Positions and names are written in full, so that a reader cannot lose its place;
# PLT stubs keep their own cost instead of being added to the calling instruction.
OPTIONS = [
    "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no", "--compress-strings=no",
    "--skip-plt=no", "--cache-sim=no", "--branch-sim=no", "--vgdb=no",
]


def run(command, out_file, **options):
    """Runs `command` under callgrind; what is left in `out_file` is for parse()."""
    valgrind = ["valgrind", "-q", *OPTIONS, f"--callgrind-out-file={out_file}", *command]
    return subprocess.run(valgrind, **options)


def parse(path, objects, wanted=None):
    """{object: {link-time address: executions}} for the object files named, added
    to what an earlier call returned.

    A cost line behind `calls=` is the inclusive cost of the call and no
    execution of an instruction, so it is passed over.
    """
    wanted = wanted or {name: {} for name in objects}
    by_path = {os.path.realpath(name): wanted[name] for name in objects}
    counts, inclusive, columns = None, False, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            first = line[0]
            if first == "0":
                if inclusive:
                    inclusive = False
                elif counts is not None:
                    position, cost = line.split()[:2]
                    address = int(position, 16)
                    counts[address] = counts.get(address, 0) + int(cost)
            elif line.startswith("calls="):
                inclusive = True
            elif line.startswith("ob="):
                counts = by_path.get(os.path.realpath(line[3:].strip()))
            elif line.startswith("positions:"):
                columns = line.split()[1:]
    if columns != ["instr"]:
        raise ValueError(f"{path}: expected positions 'instr', found {columns}")
    return wanted

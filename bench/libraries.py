#!/usr/bin/env python3
"""How many libraries built with chord a process can load late, in each mode.

    bench/libraries.py [--count=400] [MODE…]

A plain program calls dlopen until it fails, or has COUNT of them. What limits it is libc's memory for thread-local words of such libraries.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CHORD = os.path.realpath(os.environ.get("CHORD") or Path(__file__).resolve().parent.parent / "build" / "bin" / "chord")
MODES = ["", "--paths", "--coverage", "--durable", "--context", "--context --paths", "--events", "--callsites", "--budget", "--trace", "--trace=addresses",
         "--metrics=time", "--metrics=sim:l1d"]
LIBRARY = "int called(int x) { return x & 1 ? x + 2 : x; }\n"
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = 0;
  for (; argc > 1 && n < atoi(argv[1]); n++) {
    char name[64];
    snprintf(name, sizeof name, "./lib%d.so", n);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) break;
    ((int (*)(int))dlsym(library, "called"))(n);
  }
  printf("%d\n", n);
  return 0;
}
"""


def loaded(mode, count, folder):
    subprocess.run([CHORD, *mode.split(), "gcc", "-O1", "-fPIC", "-shared", "library.c", "-o", "library.so"], cwd=folder, check=True)
    for n in range(count):
        shutil.copy(folder / "library.so", folder / f"lib{n}.so")
    environment = {**os.environ, "CHORD_OUT": str(folder / "profile.chord"), "CHORD_KEEP_MAPS": "0"}
    return int(subprocess.run(["./program", str(count)], cwd=folder, check=True, capture_output=True, text=True, env=environment).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("modes", nargs="*", metavar="MODE")
    # Modes begin with dashes, as options do.
    options, modes = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "library.c").write_text(LIBRARY)
        (folder / "program.c").write_text(PROGRAM)
        subprocess.run(["gcc", "program.c", "-o", "program", "-ldl"], cwd=folder, check=True)
        for mode in options.modes + modes or MODES:
            number = loaded(mode, options.count, folder)
            print(f"{mode or 'counts':<20} {number}{' or more' if number == options.count else ''}")


if __name__ == "__main__":
    main()

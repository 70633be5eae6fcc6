#!/usr/bin/env python3
"""Checks that no folder includes what comes after it.

The folders of src/ are in data order. A file may include its own folder and those
before it; besides, the readers of facts know nothing of assembly text, core knows
nothing but base, the proof nothing that the planner decides by, and the runtime, which goes into other people's programs, only
the abi and itself. Within and across folders no two files need each other.
"""

import re
import sys
from pathlib import Path

ORDER = ["base", "core", "isa", "format", "assembly", "weave", "verify", "analysis", "report", "exports", "html", "dap", "driver", "cli"]
# The rooms of folders that have them, in data order, too. Files beside the rooms may be needed by all of them, or need all.
ROOMS = {
    "core": ["graph", "counters", "paths", "sequences"],
    "isa": ["x86_64"],
    "format": ["text", "map", "facts", "inputs", "profile", "trace"],
    "assembly": ["text", "graph", "unit"],
    "weave": ["facts", "plan", "exits", "metrics", "counters", "paths", "contexts", "coverage", "events", "sim", "trace", "compose"],
    "verify": ["program", "claims", "evidence", "flow", "counting", "metrics"],
    "analysis": ["objects", "processes", "program", "counting", "contexts", "whole", "source", "paths", "studies", "trace", "from_trace"],
    "report": ["plots", "tables", "contexts", "paths", "source", "compare", "studies", "trace"],
    "exports": ["coverage", "stacks", "tables", "trace"],
    "html": ["text", "facts", "data"],
    "driver": ["options", "compilers", "steps"],
    "cli": ["arguments", "studies", "trace", "processes", "commands"],
}
# More files than one can take in at a glance: a room should be divided.
MOST_FILES = 20
FORBIDDEN = {folder: {"assembly", "weave", "verify"} for folder in ("analysis", "report", "exports", "html", "dap")}
# The proof shares readers with the planner, none of its predicates.
FORBIDDEN["verify"] = {"weave", "isa"}
ALLOWED_IN_VERIFY = {"assembly/text/source.h", "assembly/text/layout.h"}
FORBIDDEN["core"] = set(ORDER) - {"base", "core"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == '"', match[2]


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc", ".c", ".S", ".inc"))


def check_tool(root, complain):
    for path in files(root / "src"):
        own = path.relative_to(root / "src").parts[0]
        if own not in ORDER:
            complain(path, 1, f"folder '{own}' has no place in the order")
            continue
        for line, quoted, name in includes(path):
            other = name.split("/")[0]
            if quoted and other == "runtime":
                complain(path, line, f"{own} includes {name}: what the tool and the runtime share belongs in abi/")
            if not quoted or other not in ORDER:
                continue
            if ORDER.index(other) > ORDER.index(own):
                complain(path, line, f"{own} includes {name}, which comes after it")
            elif own == "verify" and other == "assembly" and name not in ALLOWED_IN_VERIFY:
                complain(path, line, f"the proof includes {name}, which the planner decides by")
            elif other in FORBIDDEN.get(own, ()):
                complain(path, line, f"{own} must not know {other}")


def check_rooms(root, complain):
    for folder, rooms in ROOMS.items():
        for path in files(root / "src" / folder):
            own = path.relative_to(root / "src" / folder).parts
            if len(own) == 1:
                continue
            if own[0] not in rooms:
                complain(path, 1, f"room '{own[0]}' has no place in the order")
                continue
            for line, _, name in includes(path):
                parts = name.split("/")
                if len(parts) == 3 and parts[0] == folder and rooms.index(parts[1]) > rooms.index(own[0]):
                    complain(path, line, f"room {own[0]} includes {name}, which comes after it")


def check_sizes(root, complain):
    sources = [path for folder in ("src", "runtime", "abi") for path in files(root / folder)]
    for room in sorted({path.parent for path in sources}):
        count = sum(path.parent == room for path in sources)
        if count > MOST_FILES:
            complain(room, 1, f"{count} files in one room, {MOST_FILES} are the most")


def check_circles(root, complain):
    """No two files need each other, a header and its source file taken as one."""
    source, needs, where = root / "src", {}, {}
    stem = lambda name: name.rsplit(".", 1)[0]
    for path in files(source):
        own = stem(str(path.relative_to(source)))
        for line, quoted, name in includes(path):
            if quoted and stem(name) != own and (source / name).exists():
                needs.setdefault(own, set()).add(stem(name))
                where.setdefault((own, stem(name)), (path, line))

    def reaches(start):
        seen, work = set(), [start]
        while work:
            for other in needs.get(work.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    work.append(other)
        return seen

    reached = {module: reaches(module) for module in needs}
    for module in sorted(needs):
        for other in sorted(needs[module]):
            if module in reached.get(other, ()):
                path, line = where[(module, other)]
                complain(path, line, f"{module} and {other} need each other")


def check_runtime(root, complain):
    runtime = root / "runtime"
    own = {p.name for p in files(runtime)} | {str(p.relative_to(runtime)) for p in files(runtime)} | {p.name for p in files(root / "abi")}
    for path in files(runtime):
        for line, quoted, name in includes(path):
            if quoted and name not in own:
                complain(path, line, f"the runtime includes {name}: only abi/, itself and system headers are allowed")


def check_abi(root, complain):
    for path in files(root / "abi"):
        for line, _, name in includes(path):
            if name not in ("signal.h", "stddef.h", "stdint.h", "ucontext.h") and not (root / "abi" / name).is_file():
                complain(path, line, f"the abi includes {name}")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    faults = []
    for check in (check_tool, check_rooms, check_sizes, check_circles, check_runtime, check_abi):
        check(root, lambda path, line, what: faults.append(f"{path.relative_to(root)}:{line}: {what}"))
    print("\n".join(faults) or "includes are in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

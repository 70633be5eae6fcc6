#!/usr/bin/env python3
"""Checks that no folder includes what lies behind it.

The folders of src/ are in data order. A file may include its own folder and those
before it; besides, the readers of facts know nothing of assembly text, core knows
nothing but base, the proof nothing that the planner decides by, and the runtime, which goes into other people's programs, only
the abi and itself.
"""

import re
import sys
from pathlib import Path

ORDER = ["base", "core", "isa", "format", "assembly", "weave", "verify", "analysis", "report", "exports", "html", "driver", "cli"]
FORBIDDEN = {folder: {"assembly", "weave", "verify"} for folder in ("analysis", "report", "exports", "html")}
# The proof shares readers with the planner, none of its predicates.
FORBIDDEN["verify"] = {"weave", "isa"}
ALLOWED_IN_VERIFY = {"assembly/source.h", "assembly/layout.h"}
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
            if not quoted or other not in ORDER:
                continue
            if ORDER.index(other) > ORDER.index(own):
                complain(path, line, f"{own} includes {name}, which lies behind it")
            elif own == "verify" and other == "assembly" and name not in ALLOWED_IN_VERIFY:
                complain(path, line, f"the proof includes {name}, which the planner decides by")
            elif other in FORBIDDEN.get(own, ()):
                complain(path, line, f"{own} must not know {other}")


def check_runtime(root, complain):
    runtime = root / "runtime"
    own = {p.name for p in files(runtime)} | {str(p.relative_to(runtime)) for p in files(runtime)}
    for path in files(runtime):
        for line, quoted, name in includes(path):
            if quoted and name != "chord_abi.h" and name not in own:
                complain(path, line, f"the runtime includes {name}: only abi/, itself and system headers are allowed")


def check_abi(root, complain):
    for path in files(root / "abi"):
        for line, _, name in includes(path):
            if name not in ("stddef.h", "stdint.h"):
                complain(path, line, f"the abi includes {name}")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    faults = []
    for check in (check_tool, check_runtime, check_abi):
        check(root, lambda path, line, what: faults.append(f"{path.relative_to(root)}:{line}: {what}"))
    print("\n".join(faults) or "includes are in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

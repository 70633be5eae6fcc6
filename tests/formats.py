#!/usr/bin/env python3
"""docs/formats.md says what abi/chord_abi.h and the writers of text forms say.

Every enumerator of the documented families stands there with its number, every documented structure has just the fields it says, and
every line that a text form can have is explained.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
header = (root / "abi/chord_abi.h").read_text()
code = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
page = (root / "docs/formats.md").read_text()
faults = []

rows = dict(re.findall(r"^\| `(CHORD_\w+)` \| (\d+) \|", page, re.M))
families = ("CHORD_COUNTERS_", "CHORD_SEGMENT_", "CHORD_RECORD_")
declared = {name: value for name, value in re.findall(r"\b(CHORD_\w+) = (\d+),", code) if name.startswith(families)}
for name, value in declared.items():
    if rows.get(name) != value:
        faults.append(f"{name} is {value} in the header and {rows.get(name, 'not there')} on the page")
faults += [f"{name} is on the page and not in the header" for name in rows if name not in declared]

for name, fields in re.findall(r"^\| `(chord_\w+)` \| ((?:`\w+`(?:, )?)+) \|$", page, re.M):
    body = re.search(r"struct " + name + r" \{(.*?)\n\};", code, re.S)
    if body is None:
        faults.append(f"{name} is not in the header")
        continue
    theirs = re.findall(r"(\w+);", body[1])
    ours = re.findall(r"`(\w+)`", fields)
    if ours != theirs:
        faults.append(f"{name} has the fields {theirs}, the page says {ours}")
named = re.findall(r"field of `chord_segment_header`.*?\n\n", page, re.S)
ours = re.findall(r"^\| `(\w+)` \| \d \|", named[0], re.M) if named else []
theirs = re.findall(r"(\w+);", re.search(r"struct chord_segment_header \{(.*?)\n\};", code, re.S)[1])
if ours != theirs:
    faults.append(f"chord_segment_header has the fields {theirs}, the page says {ours}")
version = re.search(r"#define CHORD_ABI_VERSION (\d+)", code)[1]
if f"`CHORD_ABI_VERSION`: {version} |" not in page:
    faults.append(f"the page does not say that CHORD_ABI_VERSION is {version}")
for magic in re.findall(r"#define CHORD_(?:SEGMENT|DEAD)_MAGIC UINT64_C\((\w+)\)", code):
    if magic not in page:
        faults.append(f"the page does not have the magic number {magic}")
for macro in re.findall(r'#define CHORD_\w+_SECTION "([^"]+)"', code):
    if f"`{macro}`" not in page:
        faults.append(f"the page does not know the section {macro}")

explained = set()
for line in page.splitlines():
    if line.startswith("| `"):
        explained |= set(re.findall(r"`([a-z-]+)`", line.split("|")[1]))
for source in ("src/format/map/map_text.cc", "src/format/profile/profile_text.cc"):
    for keyword in set(re.findall(r'keyword(?:\(\))? == "([a-z-]+)"', (root / source).read_text())):
        if keyword not in explained:
            faults.append(f"{source}: the page does not explain the line '{keyword}'")

if len(declared) < 15 or len(explained) < 40:
    faults.append("this test reads less than it should")
for fault in faults:
    print(f"docs/formats.md: {fault}")
sys.exit(1 if faults else 0)

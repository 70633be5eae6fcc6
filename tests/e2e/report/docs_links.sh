#!/bin/sh
# Every relative link and picture of the documents leads to a file of the repository.
. "$(dirname "$0")/../common.inc"
python3 - "$root" <<'PYTHON' || fail "broken links"
import re, sys
from pathlib import Path
root = Path(sys.argv[1])
documents = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("bench/*.md"), *root.glob("tests/*.md"), *root.glob("page/*.md"), *root.glob("runtime/*.md")]
assert len(documents) > 10
broken = 0
for document in documents:
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)  # operator[](…) is no link
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if re.match(r"[a-z]+:", target) or not path or (document.parent / path).exists():
            continue
        print(f"{document.relative_to(root)}: {target}", file=sys.stderr)
        broken += 1
sys.exit(broken > 0)
PYTHON

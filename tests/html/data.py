"""Reads the data inside a page that `chord html` made, as the page itself does."""

import base64
import json
import re
import zlib
from itertools import accumulate
from pathlib import Path


class Page:
    def __init__(self, path):
        self.text = Path(path).read_text(encoding="utf-8")
        packed = re.findall(r'<script type="text/plain" class="chunk">([A-Za-z0-9+/=]*)</script>', self.text)
        chunks = [json.loads(zlib.decompress(base64.b64decode(chunk))) for chunk in packed]
        self.index = chunks[0]
        self.overview = json.loads(re.search(r'<script type="application/json" id="overview">([^<]*)</script>', self.text)[1])
        code = chunks[1:1 + len(self.index["codeStarts"])]
        self.code = [record for chunk in code for record in chunk]
        self.files = [record for chunk in chunks[1 + len(code):] for record in chunk]

    def rows(self, table):
        """A table of the index, as rows."""
        columns = self.index[table]
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def functions(self):
        f = self.index["functions"]
        for i, name in enumerate(f["name"]):
            yield {"function": name, "demangled": f["demangled"][i] or name, "unit": f["units"][f["unit"][i]],
                   "module": f["modules"][f["module"][i]], "calls": f["calls"][i], "executed": f["executed"][i],
                   "instructions": f["instructions"][i], "never": f["never"][i], "blocks": f["blocks"][i],
                   "blocks_never": f["blocksNever"][i]}

    def lines(self):
        for name, record in zip(self.index["files"]["name"], self.files):
            for row in zip(accumulate(record["line"]), record["count"], record["executed"], record["instructions"]):
                yield dict(zip(("line", "count", "executed", "instructions"), row), file=name)

    def instructions(self):
        names = self.index["files"]["name"]
        for function, code in zip(self.functions(), self.code):
            counts = [None] * len(code["size"])
            end = 0
            for difference, length, count in zip(code["blockFirst"], code["blockLength"], code["blockCount"]):
                first = end + difference
                end = first + length
                counts[first:end] = [count] * length
            for at, count in zip(code["otherAt"], code["otherCount"]):
                counts[at] = count
            jumps = dict(zip(code["jumpAt"], code["jumpTo"]))
            end = file = line = 0
            for i, text in enumerate(code["text"]):
                offset = jumps.get(i, end)
                end = offset + code["size"][i]
                file += code["file"][i]
                line += code["line"][i]
                fragment = code["fragments"][code["fragment"][i] if "fragment" in code else 0]
                yield {"function": fragment, "procedure": function["function"], "unit": function["unit"], "offset": offset,
                       "size": code["size"][i], "count": counts[i], "file": names[file] if line else "", "line": line, "text": text}

    def blocks(self):
        for function, code in zip(self.functions(), self.code):
            for b, kind in enumerate(code["blockKind"]):
                if kind == 2 and code["blockLength"][b]:
                    yield {"function": function["function"], "unit": function["unit"], "block": b,
                           "count": code["blockCount"][b], "instructions": code["blockLength"][b]}

    def edges(self):
        for function, code in zip(self.functions(), self.code):
            start = 0
            for e, count in enumerate(code["edgeCount"]):
                start += code["edgeFrom"][e]
                yield {"function": function["function"], "unit": function["unit"], "edge": e, "from": start,
                       "to": start + code["edgeTo"][e], "count": count}

    def inlined(self):
        """Functions that were inlined, as the index has them, with what the code of each function says of them."""
        n = self.index.get("inlined", {"function": []})
        own, inclusive, instructions = ([0] * len(n["function"]) for _ in range(3))
        for code in self.code:
            calls = code.get("inlined")
            if not calls:
                continue
            counts = [None] * len(code["size"])
            end = 0
            for difference, length, count in zip(code["blockFirst"], code["blockLength"], code["blockCount"]):
                end += difference
                counts[end:end + length] = [count] * length
                end += length
            for at, count in zip(code["otherAt"], code["otherCount"]):
                counts[at] = count
            starts = [*accumulate(calls["at"]), len(counts)]
            for start, stop, call in zip(starts, starts[1:], calls["call"]):
                for count in counts[start:stop] if call >= 0 else ():
                    row = calls["function"][call]
                    own[row] += count
                    instructions[row] += 1
                    around, above = set(), call
                    while above >= 0:
                        around.add(calls["function"][above])
                        above = calls["parent"][above]
                    for row in around:
                        inclusive[row] += count
        for i, name in enumerate(n["function"]):
            assert (n["executed"][i], n["inclusive"][i], n["instructions"][i]) == (own[i], inclusive[i], instructions[i]), name
            yield {"function": name, "demangled": n["demangled"][i] or name, "sites": n["sites"][i], "executed": own[i],
                   "inclusive": inclusive[i], "instructions": instructions[i]}

    def paths(self):
        for function, code in zip(self.functions(), self.code):
            for path in code.get("paths", []):
                yield {"function": function["function"], "path": path.get("number"), "count": path["count"],
                       "instructions": path["length"], "start": path["start"], "end": path["end"]}

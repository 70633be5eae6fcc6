#!/usr/bin/env python3
"""The machine is known in isa/x86_64/, verify/*/x86_64* and the runtime alone.

Looks for register names and instruction text in all other sources under src/: in strings, and as identifiers. Comments may speak of the
machine. usage: machine_names.py [ROOT]
"""
import re
import sys
from pathlib import Path

HOME = re.compile(r"^(isa/x86_64/\w+|verify(/\w+)?/x86_64\w*)\.(cc|h)$")
REGISTER = r"(?:r(?:[abcd]x|[sd]i|[sb]p|ip|8|9|1[0-5])|e(?:[abcd]x|[sd]i|[sb]p|flags)|[xyz]mm\d+|[cdefgs]s:)"
# Mnemonics with an operand after them, as assembly has them: "movq\t", "call ".
MNEMONIC = (r"(?:mov[a-z]*|lea[lq]|push[a-z]*|pop[a-z]*|add[bwlq]|sub[bwlq]|inc[bwlq]|dec[bwlq]|cmp[bwlq]|test[bwlq]|xor[lq]|call|jmp|j[a-z]{1,3}|"
            r"imul[a-z]*|sh[lr][a-z]*|ret[q]?|lahf|sahf|nop[lw]?|endbr64|lock|psub[a-z]*|padd[a-z]*|xchg[a-z]*|cmpxchg[a-z]*)")
IN_STRING = re.compile(r"%" + REGISTER + r"\b|%%" + REGISTER + r"\b|(?:\\t|\\n|;)" + MNEMONIC + r"(?:\\t|\s+[%$\w{.*])|^" + MNEMONIC + r"\\t|\bendbr64\b")
IDENTIFIER = re.compile(r"\b(?:" + REGISTER.replace("|[cdefgs]s:", "") + r"|k?R(?:[abcd]x|[sd]i|[sb]p))\b|\bZYDIS_\w+")
# What is still elsewhere, and how much of it: less is fine, more is not. Core files hold registers by their names; the proof names stack and
# frame pointer by their registers.
KNOWN = {"analysis/processes/core_file.cc": 17, "analysis/processes/stack_walk.cc": 6, "verify/evidence/conventions.cc": 12, "verify/evidence/evidence.cc": 1, "verify/flow/flow.cc": 3,
         "verify/evidence/frame.cc": 10, "verify/evidence/frame.h": 2, "verify/counting/marks.cc": 1, "verify/evidence/statements.cc": 1, "verify/program/tables.cc": 1,
         "verify/program/usual_convention.h": 11}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)


def findings(text):
    """Pairs of line and what is there."""
    out, code, at = [], [], 0
    for token in TOKEN.finditer(text):
        code.append((at, text[at:token.start()]))
        at = token.end()
        if token[0].startswith(('"', "R")):
            line = text.count("\n", 0, token.start()) + 1
            if text.rfind("#include", 0, token.start()) > text.rfind("\n", 0, token.start()):
                continue
            out += [(line + token[0].count("\n", 0, m.start()), m[0].strip()) for m in IN_STRING.finditer(token[0][1:-1])]
    code.append((at, text[at:]))
    for start, part in code:
        out += [(text.count("\n", 0, start + m.start()) + 1, m[0]) for m in IDENTIFIER.finditer(part)]
    return sorted(out)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    faults = files = at_home = 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cc", ".h"):
            continue
        files += 1
        name = path.relative_to(root / "src").as_posix()
        found = findings(path.read_text())
        if HOME.match(name):
            at_home += len(found)
            continue
        if len(found) <= KNOWN.get(name, 0):
            continue
        for line, what in found:
            print(f"src/{name}:{line}: {what!r}: the machine is known in isa/x86_64/, verify/*/x86_64* and the runtime alone")
            faults += 1
    if at_home < 100:
        print(f"only {at_home} names were found where they belong: this test is blind")
        faults += 1
    print(f"{files} files, {faults} faults")
    return 1 if faults else 0


sys.exit(main())

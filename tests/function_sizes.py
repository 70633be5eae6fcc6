#!/usr/bin/env python3
"""Functions stay short, and their parameter lists, too.

Counts the lines of each function's body and its parameters in src/, runtime/ and abi/. usage: function_sizes.py [--list=N] [ROOT]; --list prints the N
longest of both and complains about nothing.
"""
import argparse
import re
from pathlib import Path

MOST_LINES = 64
MOST_PARAMETERS = 6
# What is longer, and how much: less is fine, more is not. The proof's machine has a case for each instruction that a probe may have; libdwfl
# says what its callbacks take, and a system call takes a number and six arguments.
LONGER = {"src/verify/flow/x86_64_machine.cc execute": 130, "src/verify/flow/x86_64_machine.cc compare": 80}
MORE_PARAMETERS = {"src/analysis/processes/stack_walk.cc find_no_debuginfo": 8, "runtime/system/sys.h kernel": 7, "src/verify/counting/counts.cc hold": 7}
SKIP = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
TYPE = re.compile(r"\b(class|struct|union|enum)\b")
NAME = re.compile(r"(~?[\w:]+|operator\s*\S+?)\s*$")


def without_text(source):
    """The same lines with nothing in them that is no code."""
    return SKIP.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if not m[0].startswith(('"', "'", "R")) else '""' + "\n" * m[0].count("\n"), source)


def opening(text, start, end):
    """The parenthesis that parameters begin at, or nothing: the first one outside of template arguments."""
    angle = 0
    for at in range(start, end):
        if text[at] == "<" and re.search(r"\w\s*$", text[start:at]):
            angle += 1
        elif text[at] == ">" and angle and text[at - 1] != "-":
            angle -= 1
        elif text[at] == "(" and not angle and NAME.search(text[start:at]):
            return at
    return None


def parameters(text, at):
    """How many there are in the list that begins there."""
    depth, angle, commas, anything = 0, 0, 0, False
    for c in text[at:]:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "<":
            angle += 1
        elif c == ">":
            angle = max(angle - 1, 0)
        elif c == "," and depth == 1 and angle == 0:
            commas += 1
        anything = anything or (depth >= 1 and not c.isspace() and c != "(")
    return commas + 1 if anything else 0


def functions(source):
    """Of each function: its name, the line it begins at, lines of its body, parameters."""
    text = without_text(source)
    begin, scopes, parens = 0, [], 0
    for at, c in enumerate(text):
        if c == "(":
            parens += 1
        elif c == ")":
            parens -= 1
        elif c == ";" and parens == 0:
            begin = at + 1
        elif c == "{":
            head = text[begin:at]
            outside = all(scope[0] == "scope" for scope in scopes) and parens == 0
            paren = opening(text, begin, at) if outside else None
            if outside and (re.search(r"\bnamespace\b|\bextern\s+\"", head) or (TYPE.search(head) and paren is None)):
                scopes.append(("scope", None))
            elif outside and paren is not None and not re.search(r"[=,:]\s*$|\b\w+_?\s*$(?<!const)(?<!override)(?<!noexcept)(?<!final)(?<!mutable)", head[paren - begin:].split(")")[-1]):
                scopes.append(("function", (begin, paren, at)))
            else:
                scopes.append(("other", None))
            if scopes[-1][0] != "other":
                begin = at + 1
        elif c == "}" and scopes:
            kind, where = scopes.pop()
            if kind == "function":
                first, paren, body = where
                name = NAME.search(text[first:paren])[1]
                yield name, text.count("\n", 0, body) + 1, text.count("\n", body, at) + 1, parameters(text, paren)
            if kind != "other":
                begin = at + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=int, default=0)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    found = []
    for folder in ("src", "runtime", "abi"):
        for path in sorted((options.root / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".inc"):
                found += [(path.relative_to(options.root), *function) for function in functions(path.read_text())]
    if options.list:
        for what in (3, 4):
            for path, name, line, lines, count in sorted(found, key=lambda f: -f[what])[:options.list]:
                print(f"{path}:{line}: {name}: {lines} lines, {count} parameters")
        return
    faults = []
    for path, name, line, lines, count in found:
        key = f"{path} {name.split('::')[-1]}"
        if lines > LONGER.get(key, MOST_LINES):
            faults.append(f"{path}:{line}: {name} has {lines} lines: at most {LONGER.get(key, MOST_LINES)}")
        if count > MORE_PARAMETERS.get(key, MOST_PARAMETERS):
            faults.append(f"{path}:{line}: {name} takes {count} parameters: at most {MORE_PARAMETERS.get(key, MOST_PARAMETERS)}")
    if len(found) < 4000:
        faults.append(f"only {len(found)} functions found")
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{len(found)} functions: none of more than {MOST_LINES} lines but {len(LONGER)}, none of more than {MOST_PARAMETERS} parameters but {len(MORE_PARAMETERS)}")


if __name__ == "__main__":
    main()

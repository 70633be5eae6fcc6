#!/usr/bin/env python3
"""Turns compiled assembly of the runtime, its core or a mode, into one COMDAT group.

Every woven object contains the result. The linker keeps one copy per module and
discards the others, whatever linker and however it is called, so a woven object
needs no library. For that to work
  - every section is a member of the group (a discarded member takes its symbols
    and relocations with it),
  - local labels cannot clash with those of the compiler whose output it follows,
  - nothing outside the group refers to a local symbol inside.

What is private gets a name that the assembler does not keep: names cost space in every object, and the groups
that follow each other in one assembly must not have any in common.

usage: group_runtime.py IN.s OUT.s [MODE]
"""
import re
import sys

MODE = sys.argv[3] if len(sys.argv) > 3 else ""
GROUP = f"__chord_runtime_{MODE}_1" if MODE else "__chord_runtime_1"
PREFIX = f".Lchordrt_{MODE}_" if MODE else ".Lchordrt_"
# Sections the assembler knows by name: their flags and types.
KNOWN = {
    ".text": ('.text.chord_runtime', "ax", "@progbits"),
    ".data": ('.data.chord_runtime', "aw", "@progbits"),
    ".rodata": ('.rodata.chord_runtime', "a", "@progbits"),
    ".bss": ('.bss.chord_runtime', "aw", "@nobits"),
}
SEEN = {}
# Sections whose name decides their type.
NAMED = {".init_array": "@init_array", ".fini_array": "@fini_array", ".tbss": "@nobits", ".note": "@note"}
# Said once at the end of the object by the compiler; ours would be a second time.
DROPPED = re.compile(r"\.(file|ident|intel_syntax|addrsig)\b|\.section\s+\.note\.GNU-stack")


def member(name, flags, kind, extra=""):
    flags = flags.replace('"', "")
    entry = f',{extra}' if extra else ""
    return f'\t.section\t{name},"{flags}G",{kind}{entry},{GROUP},comdat'


def rewrite_section(line, push):
    words = [w.strip() for w in line.split(None, 1)[1].split(",")]
    name = words[0]
    if len(words) > 3 and "G" in words[1]:  # in a group of its own
        return "\t" + line
    if name.startswith(".rodata.str"):  # in a section whose strings are merged each would need a symbol
        name = ".rodata"
    if name in KNOWN:
        name, flags, kind = KNOWN[name]
        extra = ""
    else:
        # Flags are given the first time only.
        if len(words) >= 2:
            kinds = [kind for prefix, kind in NAMED.items() if name.startswith(prefix)]
            kind = words[2] if len(words) >= 3 else (kinds + ["@progbits"])[0]
            SEEN[name] = (words[1], kind, ",".join(words[3:]))
        if name not in SEEN:
            raise SystemExit(f"group_runtime: no flags: {line}")
        flags, kind, extra = SEEN[name]
    text = member(name, flags, kind, extra)
    return text.replace(".section", ".pushsection") if push else text


def rewrite(line):
    statement = line.strip()
    if DROPPED.match(statement):
        return None
    word = statement.split(None, 1)[0] if statement else ""
    if word in KNOWN:
        name, flags, kind = KNOWN[word]
        return member(name, flags, kind)
    if word in (".section", ".pushsection"):
        return rewrite_section(statement, word == ".pushsection")
    if word == ".local":
        return None
    if word == ".comm":
        # Static variables: the assembler would put them into the object's own .bss.
        name, size, alignment = [w.strip() for w in statement.split(None, 1)[1].split(",")]
        section = member(*KNOWN[".bss"]).replace(".section", ".pushsection")
        return f"{section}\n\t.balign\t{alignment}\n{name}:\n\t.zero\t{size}\n\t.popsection"
    return line


def refer_weakly(lines):
    """Makes weak references local to the runtime.

    A symbol has one binding per object, and the runtime stands in the user's object:
    `.weak NAME` would turn the program's own references to NAME into weak ones too, and
    the linker might then leave out the library that defines it. `.weakref` does not.
    """
    text = "\n".join(lines)
    defined = set(re.findall(r"^([\w.$]+):", text, re.M))
    for name in dict.fromkeys(re.findall(r"^\s*\.weak\s+([\w.$]+)\s*$", text, re.M)):
        # Hidden names are not the libraries', and a name given to a macro stays as it is.
        own = rf"^\s*(\.hidden|__chord_jump_stub)\s+{re.escape(name)}\s*$"
        if name in defined or name.startswith(("__start_", "__stop_")) or re.search(own, text, re.M):
            continue
        alias = f"__chord_weak_{MODE}_{name}"
        text = re.sub(rf"^\s*\.weak\s+{re.escape(name)}\s*$", "", text, flags=re.M)
        text = re.sub(rf'(?<![\w.$"]){re.escape(name)}(?![\w.$])', alias, text)  # not in strings
        text = f"\t.weakref {alias}, {name}\n" + text
    return text


def without_private_names(text):
    """Functions and variables of the compiler's that are not declared global become local labels."""
    seen = set(re.findall(r"^\s*\.(?:globl|weak)\s+([\w.$]+)", text, re.M))
    private = [name for name in dict.fromkeys(re.findall(r"^(?:\s*\.set\s+)?(_Z[\w.$]+)[:,]", text, re.M)) if name not in seen]
    numbers = {name: f"{PREFIX}n{number}" for number, name in enumerate(private)}
    text = re.sub(r"^\s*\.(?:type|size)\s+([\w.$]+),.*\n", lambda m: "" if m[1] in numbers else m[0], text, flags=re.M)
    return re.sub(r"(?<![\w.$])_Z[\w.$]+?(?=@|(?![\w.$]))", lambda m: numbers.get(m[0], m[0]), text)


def with_offsets(lines):
    """Numbers in place of names of fields, by the lists that the compiler evaluated (system/offsets.h)."""
    offsets, kept, skipping = {}, [], False
    for line in lines:
        if re.match(r"\s*\.(section|text|data|bss)\b", line):
            skipping = ".chord_offsets" in line
        found = re.match(r"\s*#chord_offset (\S+) (-?\d+)", line)
        if found and offsets.setdefault(found[1], found[2]) != found[2]:
            raise SystemExit(f"group_runtime: two values of {found[1]}")
        if not skipping:
            kept.append(line)
    if not offsets:
        return kept
    names = "|".join(re.escape(name) for name in sorted(offsets, key=len, reverse=True))
    return [re.sub(rf"(?<![\w.])(?:{names})(?![\w.$])", lambda name: offsets[name[0]], line) for line in kept]


def main():
    source, target = sys.argv[1:3]
    code = member(*KNOWN[".text"])
    begin = f"__chord_text_{MODE}" if MODE else "__chord_text"
    out = ["\t.att_syntax", code, f"{begin}:"]
    skipping = False
    with open(source) as file:
        for line in with_offsets(file.read().splitlines()):
            # The object's properties are those of the compiler's own code.
            if re.match(r"\s*\.(section|text|data|bss)\b", line):
                skipping = ".note.gnu.property" in line
            if skipping:
                continue
            line = re.sub(r"(?<![\w.$])\.L", PREFIX, line)
            # Comments of the compiler only cost space in every object.
            if line.strip().startswith("#"):
                continue
            line = rewrite(line)
            if line is not None:
                out.append(line)
    out += [code, f"{begin}_end:"]
    with open(target, "w") as file:
        file.write(without_private_names(refer_weakly(out) + "\n"))


main()

#!/usr/bin/env python3
"""Writes the manual pages: chord.1 and one for each command, from what `chord help` prints.

Options are listed in one place, the program's own tables; pages and help cannot differ.

usage: make_pages.py CHORD TEMPLATE FOLDER
"""
import os
import re
import subprocess
import sys

ENTRY = re.compile(r"  (\S.*?)(?:\s{2,}(\S.*))?$")


def said(chord, *arguments):
    done = subprocess.run([chord, *arguments], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.splitlines()


def escaped(text):
    text = text.replace("\\", "\\(rs").replace("-", "\\-").replace("…", "...")
    return "\\&" + text if text.startswith((".", "'")) else text


def entries(lines):
    """Two columns, the second maybe on the next lines."""
    out = []
    for line in lines:
        if line.startswith(" " * 11):
            out.append(escaped(line.strip()))
        elif entry := ENTRY.match(line):
            out += [".TP", f".B {escaped(entry[1])}"] + ([escaped(entry[2])] if entry[2] else [])
    return out


def is_list(lines):
    """Of options or words with what they mean, rather than commands to type."""
    return any(line.startswith("  -") for line in lines)


def section(title, lines):
    lines = [line for line in lines if line.strip()]
    if title in ("Positionals", "Options", "Commands") or is_list(lines):
        return entries(lines)
    out, inside = [], False
    for line in lines:
        if line.startswith(" ") != inside:
            inside = not inside
            out.append(".EX" if inside else ".EE\n.PP")
        out.append(escaped(line if inside else line.strip()))
    return out + [".EE"] * inside


def sections(lines):
    """(title, lines); what comes before the first title has none."""
    out = [("", [])]
    for line in lines:
        if re.fullmatch(r"[A-Z][^:]*:", line):
            out.append((line[:-1], []))
        else:
            out[-1][1].append(line)
    return out


def page_of(command, summary, lines, version):
    usage = next(line for line in lines if line.startswith("Usage: "))
    first = lines.index(usage)
    out = [f'.TH CHORD\\-{escaped(command.upper())} 1 "" "{version}" "User Commands"', ".SH NAME",
           f"chord\\-{escaped(command)} \\- {escaped(summary)}", ".SH SYNOPSIS", f".B {escaped(usage[len('Usage: '):])}",
           ".SH DESCRIPTION", *(escaped(line) for line in lines[:first] if line.strip())]
    for title, body in sections(lines[first + 1:]):
        if title:
            out.append(f".SH {escaped(title.upper())}")
        out += section(title, body)
    return out + [".SH SEE ALSO", ".BR chord (1)"]


def build_options(lines):
    start = next(n for n, line in enumerate(lines) if line.startswith("Build options"))
    out = []
    for title, body in sections(lines[start + 1:]):
        body = [line for line in body if line.startswith(" ")]
        out += ([f".SS {escaped(title)}"] if title else []) + entries(body)
    return out


def main():
    chord, template, folder = sys.argv[1:]
    version = said(chord, "--version")[0]
    overview = said(chord, "help")
    commands = dict(re.match(r"  (\S+)\s+(.*)", line).groups() for line in dict(sections(overview))["Commands"] if line.startswith("  "))
    os.makedirs(folder, exist_ok=True)
    study = next(body for title, body in sections(said(chord, "help", "study")) if title.startswith("Build options"))
    study = [".SS For study", *entries(line for line in study if line.startswith("  "))]
    listed = "\n".join(f".TP\n.BR chord\\-{escaped(name)} (1)\n{escaped(text)}" for name, text in commands.items())
    with open(template, encoding="utf-8") as file:
        text = file.read().replace("@VERSION@", version).replace("@COMMANDS@", listed)
    pages = {"chord": text.replace("@OPTIONS@", "\n".join(build_options(overview) + study))}
    for command, summary in commands.items():
        pages[f"chord-{command}"] = "\n".join(page_of(command, summary, said(chord, command, "--help"), version)) + "\n"
    for name, page in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()

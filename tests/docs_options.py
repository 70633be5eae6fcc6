#!/usr/bin/env python3
"""Every option that a document gives to chord is one that chord has: as a build option, or of the command that is shown.

usage: docs_options.py CHORD ROOT
"""
import glob
import os
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# A command that is shown: in a line of a block, or between backquotes.
SHOWN = re.compile(r"`([^`\n]+)`|^(?:\$ | {4})(.*)$", re.M)


def options_of(chord, *arguments):
    return set(OPTION.findall(subprocess.run([chord, *arguments], capture_output=True, text=True, check=False).stdout))


def known(chord):
    """By command; under "" those in front of a compiler."""
    overview = subprocess.run([chord, "help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) +\S", overview[overview.index("Commands:"):overview.index("Build options")], re.M)
    out = {command: options_of(chord, command, "--help") for command in commands}
    out[""] = options_of(chord, "help") | options_of(chord, "help", "study") | {"--version"}
    return out


def given_in(text):
    """The words of each command that is shown, from `chord` on."""
    for shown in SHOWN.finditer(text):
        for part in re.split(r"&&|\|\|?|;|#", shown[1] or shown[2]):
            words = part.split()
            while words and re.fullmatch(r"[A-Z_]+=\S*|\$", words[0]):
                words.pop(0)
            if words[:1] == ["chord"]:
                yield words


def unknown_of(words, chord, options):
    """Options among them that chord does not have there."""
    if words[1:2] and words[1] in options:
        unknown = set(OPTION.findall(" ".join(words))) - options[words[1]]
        # Some commands have commands of their own.
        return unknown - options_of(chord, words[1], words[2], "--help") if unknown and re.fullmatch("[a-z]+", words[2]) else unknown
    # What comes after a compiler's name is the compiler's.
    named = next((n for n, word in enumerate(words) if n and not word.startswith("-")), len(words))
    return set(OPTION.findall(" ".join(words[:named]))) - options[""]


def main():
    chord, root = sys.argv[1:]
    options = known(chord)
    checked, wrong = 0, []
    for path in [os.path.join(root, "README.md"), *sorted(glob.glob(os.path.join(root, "docs", "*.md")))]:
        with open(path, encoding="utf-8") as file:
            commands = list(given_in(file.read()))
        checked += len(commands)
        for words in commands:
            if unknown := unknown_of(words, chord, options):
                wrong.append(f"{os.path.relpath(path, root)}: {' '.join(words)}: no option {', '.join(sorted(unknown))}")
    print("\n".join(wrong) or f"{checked} commands")
    return 1 if wrong or checked < 250 else 0


if __name__ == "__main__":
    sys.exit(main())

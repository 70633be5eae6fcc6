"""Gets Debian source packages without touching the machine's own apt: its
configured archives, asked for sources, with all state in a folder of ours."""

import glob
import os
import re
import subprocess
from pathlib import Path


def cache_folder(root):
    """Where sources are kept between runs: $CHORD_CACHE, or build/real."""
    return Path(os.environ.get("CHORD_CACHE") or root / "build" / "real").resolve()


def _source_entries(text, name):
    """The binary entries of one apt configuration file, as source entries."""
    if name.endswith(".sources"):
        stanzas = [s for s in re.split(r"\n\s*\n", text) if re.search(r"^Types:.*\bdeb\b", s, re.M)]
        return "\n\n".join(re.sub(r"^Types:.*$", "Types: deb-src", s, flags=re.M) for s in stanzas) + "\n"
    lines = [l for l in text.splitlines() if re.match(r"\s*deb\s", l)]
    return "\n".join(re.sub(r"^\s*deb\s", "deb-src ", l) for l in lines) + "\n"


def _apt_options(state):
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    places = [*glob.glob("/etc/apt/sources.list"), *glob.glob("/etc/apt/sources.list.d/*")]
    for number, place in enumerate(p for p in places if p.endswith((".list", ".sources"))):
        with open(place, encoding="utf-8") as file:
            entries = _source_entries(file.read(), place)
        if entries.strip():
            (state / "parts" / f"{number}{Path(place).suffix}").write_text(entries)
    settings = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": state / "parts",
                "Dir::State::Lists": state / "lists", "Dir::Cache": state / "cache",
                "APT::Sandbox::User": "", "Acquire::Retries": "3"}
    return [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]


def fetch(package, cache):
    """The unpacked source folder of `package`, downloaded at most once."""
    target = cache / "sources" / package
    done = target / ".complete"
    if not done.exists():
        target.mkdir(parents=True, exist_ok=True)
        options = _apt_options(cache / "apt")
        # One archive that offers no sources makes the update fail as a whole; what
        # counts is whether the package can be had.
        update = subprocess.run(["apt-get", *options, "-qq", "update"], capture_output=True, text=True, check=False)
        got = subprocess.run(["apt-get", *options, "-qq", "source", package], cwd=target, capture_output=True,
                             text=True, check=False)
        if got.returncode != 0:
            raise SystemExit(f"cannot get the source of {package}:\n{update.stderr}{got.stderr}")
        done.write_text("")
    return next(p for p in sorted(target.iterdir()) if p.is_dir())

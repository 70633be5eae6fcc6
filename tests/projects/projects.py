"""Whole projects from Debian's sources: how each is configured, built and tested, and what its tests say."""

import json
import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path


def automake_results(build, _):
    """The .trs files that automake's test driver writes, one for each test script or program."""
    found = {}
    for path in sorted(build.rglob("*.trs")):
        for number, line in enumerate(re.findall(r"^:test-result: (\w+)", path.read_text(errors="replace"), re.M)):
            found[f"{path.relative_to(build).with_suffix('')} {number}"] = line
    return found


def junit_results(build, _):
    found = {}
    for case in xml.parse(build / "results.xml").iter("testcase"):
        bad = [kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None]
        found[f"{case.get('classname')}.{case.get('name')}"] = bad[0] if bad else "passed"
    return found


def meson_results(build, _):
    lines = (build / "meson-logs" / "testlog.json").read_text().splitlines()
    return {test["name"]: test["result"] for test in map(json.loads, lines)}


def git_results(build, _):
    """t/test-results/NAME.counts: how many tests of a script passed, failed, are known to fail."""
    return {path.stem: " ".join(path.read_text().split()) for path in sorted((build / "t" / "test-results").glob("*.counts"))}


def redis_results(_, output):
    return {name: kind for kind, name in re.findall(r"^\[(ok|err|exception)\]:? (.*?)(?: \(\d+ ms\))?$", output, re.M)}


@dataclass
class Project:
    """`{source}` and `{build}` are folders; `cc`, `cxx`: the compilers come from the environment (CC, CXX) or from words in
    the commands. Commands run in the build folder, which is a copy of the source unless `outside` is set."""

    package: str
    configure: list
    build: list
    check: list
    results: object
    outside: bool = False
    needs: list = field(default_factory=list)  # Debian packages


def make(*words):
    return ["make", "-j{jobs}", *words]


CMAKE = ["cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "{source}"]
CTEST = ["ctest", "-j{jobs}", "--output-junit", "results.xml"]

ALL = {
    "grep": Project("grep", [["./configure", "--disable-nls", "MAKEINFO=true"]], [make()], [make("-k", "check")], automake_results),
    "jansson": Project("jansson", [[*CMAKE, "-DJANSSON_BUILD_DOCS=OFF"]], [["ninja", "-j{jobs}"]], [CTEST], junit_results, outside=True),
    "leveldb": Project("leveldb", [[*CMAKE, "-DLEVELDB_BUILD_BENCHMARKS=OFF"]], [["ninja", "-j{jobs}"]], [CTEST], junit_results,
                       outside=True, needs=["libgtest-dev", "libgmock-dev", "libsnappy-dev"]),
    # More than two hundred translation units.
    "libgit2": Project("libgit2", [[*CMAKE, "-DBUILD_TESTS=ON", "-DUSE_SSH=OFF"]], [["ninja", "-j{jobs}"]],
                       [[*CTEST, "-R", "offline|util"]], junit_results, outside=True, needs=["libpcre2-dev", "zlib1g-dev", "libssl-dev"]),
    "wayland": Project("wayland", [["meson", "setup", "{build}", "{source}", "-Ddocumentation=false"]], [["ninja", "-j{jobs}"]],
                       [["meson", "test", "--no-rebuild"]], meson_results, outside=True,
                       needs=["meson", "libexpat1-dev", "libffi-dev", "libxml2-dev"]),
    "git": Project("git", [make("configure"), ["./configure"]], [make()], [make("-k", "-C", "t", "all", "DEFAULT_TEST_TARGET=test")],
                   git_results, needs=["libcurl4-openssl-dev", "libexpat1-dev", "gettext", "zlib1g-dev", "autoconf"]),
    "redis": Project("redis", [], [make("CC={cc}", "CXX={cxx}", "MALLOC=libc", "BUILD_TLS=no")], [["./runtest", "--clients", "{jobs}"]],
                     redis_results, needs=["tcl"]),
    "cpython": Project("python3.11", [["./configure"]], [make()],
                       [["./python", "-m", "test", "-j{jobs}", "--junit-xml", "results.xml", "-x", "test_gdb"]], junit_results,
                       needs=["libffi-dev", "libssl-dev", "zlib1g-dev", "libsqlite3-dev"]),
}


def size_of(build, suffixes):
    """Bytes of all object files, say."""
    return sum(path.stat().st_size for path in Path(build).rglob("*") if path.suffix in suffixes and path.is_file())

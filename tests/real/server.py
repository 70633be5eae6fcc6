#!/usr/bin/env python3
"""A real server, built with chord, under load, looked at while it runs.

    tests/real/server.py [--seconds=20] [--work=FOLDER]

redis from Debian's sources answers redis-benchmark and a client of ours that checks every
answer. Meanwhile `chord dump` and `chord top` ask it again and again. No request may be lost
and no answer wrong; counts only grow; each view, and the whole, obeys the flow law (a
contradiction is a warning, and none is allowed); and what the server says it processed is
what was counted.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import fetch as fetching  # noqa: E402

CHORD = os.path.realpath(os.environ.get("CHORD") or ROOT / "build" / "bin" / "chord")
PORT = 16379


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def build(work, cache):
    source = work / "redis"
    if not (source / "src" / "redis-server").exists():
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(fetching.fetch("redis", cache), source)
        run(["make", "-C", "src", f"-j{os.cpu_count()}", f"CC={CHORD} gcc", "MALLOC=libc", "BUILD_TLS=no", "USE_SYSTEMD=no",
             "OPTIMIZATION=-O2", "redis-server", "redis-benchmark"], cwd=source)
    return source / "src"


class Client(threading.Thread):
    """Counts up keys, one request at a time, and knows what each answer must be."""

    def __init__(self, number):
        super().__init__()
        self.key, self.requests, self.fault, self.stop = f"key{number}", 0, None, False

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", PORT), timeout=30) as link:
                answers = link.makefile("rb")
                while not self.stop:
                    link.sendall(f"INCR {self.key}\r\n".encode())
                    answer = answers.readline()
                    self.requests += 1
                    if answer != b":%d\r\n" % self.requests:
                        self.fault = f"{self.key}: request {self.requests} answered by {answer!r}"
                        return
        except OSError as error:
            self.fault = f"{self.key}: {error}"


def calls(report):
    return {(r["function"], r.get("file")): r["calls"] for r in report["rows"]}


def report_on(profile):
    done = run([CHORD, "report", profile, "--by=function", "--json"])
    if done.stderr:
        raise SystemExit(f"chord report: {done.stderr}")
    return calls(json.loads(done.stdout))


def look(server, profile, views):
    run([CHORD, "dump", str(server.pid)])
    now = report_on(profile)
    for place, count in (views[-1] if views else {}).items():
        if now.get(place, 0) < count:
            raise SystemExit(f"{place}: {count} calls, then {now.get(place, 0)}")
    views.append(now)
    top = run([CHORD, "top", str(server.pid), "--once", "--json"])
    if top.stderr:
        raise SystemExit(f"chord top: {top.stderr}")


def total(counted, function):
    return sum(count for (name, _), count in counted.items() if name == function)


def commands_processed():
    with socket.create_connection(("127.0.0.1", PORT), timeout=30) as link:
        link.sendall(b"INFO stats\r\n")
        answers = link.makefile("rb")
        size = int(answers.readline()[1:])
        text = answers.read(size).decode()
    return int(next(l for l in text.splitlines() if l.startswith("total_commands_processed:")).split(":")[1])


def serve(options, folder, binaries):
    profile = folder / "redis-server.chord"
    profile.unlink(missing_ok=True)
    environment = {**os.environ, "CHORD_OUT": str(profile)}
    server = subprocess.Popen([binaries / "redis-server", "--port", str(PORT), "--save", "", "--appendonly", "no",
                               "--io-threads", "2"], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_for_server(server)
        clients = [Client(n) for n in range(4)]
        for client in clients:
            client.start()
        deadline, views, load = time.monotonic() + options.seconds, [], []
        quiet = {**os.environ, "CHORD_OUT": str(folder / "benchmark.chord")}
        while time.monotonic() < deadline:
            if not load or load[-1].poll() is not None:
                load.append(subprocess.Popen([binaries / "redis-benchmark", "-p", str(PORT), "-n", "20000", "-c", "20", "-q",
                                              "-t", "set,get,lpush,lpop,zadd"], cwd=folder, env=quiet,
                                             stdout=subprocess.PIPE, text=True))
            look(server, profile, views)
        for client in clients:
            client.stop = True
        for client in clients:
            client.join()
        failed = [l for l in load if l.wait() != 0]
        faults = [c.fault for c in clients if c.fault]
        if faults or failed:
            raise SystemExit(f"{len(failed)} loads failed; {faults}")
        processed = commands_processed()
    finally:
        server.terminate()
        server.wait(60)
    counted = report_on(profile)
    # `call` executes one command each; INFO itself is counted after it answered.
    if total(counted, "call") != processed + 1:
        raise SystemExit(f"{processed + 1} commands processed, {total(counted, 'call')} counted")
    incremented = sum(c.requests for c in clients)
    if total(counted, "incrCommand") != incremented:
        raise SystemExit(f"{incremented} increments, {total(counted, 'incrCommand')} counted")
    print(f"redis: {options.seconds} s, {processed} commands, {incremented} answers checked, {len(views)} dumps and views, "
          f"{len(counted)} functions: nothing lost, counts exact")


def wait_for_server(server):
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit(f"the server ended with {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="how long it is under load")
    parser.add_argument("--work", metavar="FOLDER", default=None)
    options = parser.parse_args()
    work = Path(options.work or ROOT / "build" / "oracle" / "server").resolve()
    work.mkdir(parents=True, exist_ok=True)
    serve(options, work, build(work, fetching.cache_folder(ROOT)))


if __name__ == "__main__":
    main()

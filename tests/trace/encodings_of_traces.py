"""Which encoding a traced program is built with: each test takes one by turns, unless TRACE_ENCODING names one (or `default`)."""
import os
import zlib

ENCODINGS = ("witness", "bits", "paths")


def option(*what):
    """--trace=ENCODING, the same each time for the same test."""
    chosen = os.environ.get("TRACE_ENCODING")
    if chosen == "default":
        return "--trace"
    if chosen is not None and chosen not in ENCODINGS:
        raise SystemExit(f"TRACE_ENCODING={chosen}: {', '.join(ENCODINGS)} or default")
    return f"--trace={chosen or ENCODINGS[zlib.crc32(' '.join(what).encode()) % len(ENCODINGS)]}"

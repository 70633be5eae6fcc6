"""Caches and branch predictors, simple and slow: what the models of abi/chord_models.h must agree with.

Written apart from them, from the description of cachegrind: each set is a list of the lines in it, oldest first; an access
that crosses a line uses both and is one miss if either was missing; more than a line is taken for a line.
"""


class Cache:
    def __init__(self, size, ways, line):
        self.ways, self.line, self.sets = ways, line, [[] for _ in range(size // (ways * line))]

    def use(self, block):
        """True if the block was missing."""
        lines = self.sets[block % len(self.sets)]
        missing = block not in lines
        if not missing:
            lines.remove(block)
        elif len(lines) == self.ways:
            lines.pop(0)
        lines.append(block)
        return missing

    def access(self, address, size):
        last = address + min(size, self.line) - 1
        blocks = {address // self.line, last // self.line}
        return any([self.use(block) for block in sorted(blocks)])


class Levels:
    """A first-level cache with, perhaps, a second level behind it."""

    def __init__(self, first, second=None):
        self.first, self.second = Cache(*first), Cache(*second) if second else None

    def access(self, address, size):
        """Misses of the first level, and of the second."""
        if not self.first.access(address, size):
            return 0, 0
        return 1, int(self.second is not None and self.second.access(address, size))


class Predictor:
    """Two-bit counters: below 2 says not taken. `kind` is bimodal, gshare or gselect."""

    def __init__(self, kind, bits, history_bits=0):
        self.kind, self.bits, self.history_bits = kind, bits, history_bits
        self.counters, self.history = [0] * (1 << bits), []

    def number(self, address):
        history = int("0" + "".join(str(b) for b in self.history), 2)
        if self.kind == "gselect":
            return (address * 2**self.history_bits + history) % 2**self.bits
        return (address % 2**self.bits) ^ history

    def branch(self, address, taken):
        """True if it was predicted otherwise."""
        n = self.number(address)
        missed = (self.counters[n] >= 2) != taken
        self.counters[n] = min(3, self.counters[n] + 1) if taken else max(0, self.counters[n] - 1)
        if self.history_bits:
            self.history = (self.history + [int(taken)])[-self.history_bits:]
        return missed

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

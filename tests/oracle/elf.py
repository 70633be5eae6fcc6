"""Just enough of an ELF reader for the oracle: the functions of a linked object
and the bytes at an address. It shares no code with the tool under test."""

import struct
from dataclasses import dataclass, field

STT_FUNC, STT_FILE, STT_IFUNC = 2, 4, 10
STB_LOCAL = 0
SHT_SYMTAB, SHT_NOBITS = 2, 8
SHF_ALLOC, SHF_EXECINSTR = 2, 4

# Prefixes that may stand before an opcode, REX included.
PREFIXES = frozenset([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0]) | frozenset(range(0x40, 0x50))
STRING_OPCODES = frozenset([0x6C, 0x6D, 0x6E, 0x6F, 0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF])


@dataclass
class Section:
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass
class Function:
    """All names of one code address. `unit` is the source file the assembler
    recorded for it, empty for global functions."""

    address: int
    size: int
    names: list = field(default_factory=list)
    unit: str = ""

    @property
    def name(self):
        return self.names[0]


def _string(table, start):
    return table[start:table.index(b"\0", start)].decode("utf-8", "replace")


class Elf:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: not a little-endian ELF64 file")
        self.sections = self._sections()
        self.functions = self._functions()

    def _sections(self):
        table, = struct.unpack_from("<Q", self.data, 0x28)
        entry, count, names = struct.unpack_from("<HHH", self.data, 0x3A)
        raw = [struct.unpack_from("<IIQQQQI", self.data, table + i * entry) for i in range(count)]
        strings = self.data[raw[names][4]:raw[names][4] + raw[names][5]]
        return [Section(_string(strings, r[0]), r[1], r[2], r[3], r[4], r[5], r[6]) for r in raw]

    def _symbols(self):
        """(name, kind, local, section, value, size, unit) of every symbol."""
        for section in self.sections:
            if section.kind != SHT_SYMTAB:
                continue
            link = self.sections[section.link]
            strings = self.data[link.offset:link.offset + link.size]
            unit = ""
            for at in range(section.offset, section.offset + section.size, 24):
                name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
                text, local = _string(strings, name), info >> 4 == STB_LOCAL
                if info & 15 == STT_FILE:
                    unit = text
                    continue
                yield text, info & 15, local, index, value, size, unit if local else ""

    def _functions(self):
        """Functions by address. One without a size reaches to the next symbol."""
        found, starts = {}, set()
        for name, kind, local, index, value, size, unit in self._symbols():
            if not 0 < index < len(self.sections) or not self.sections[index].flags & SHF_EXECINSTR:
                continue
            starts.add(value)
            if kind not in (STT_FUNC, STT_IFUNC):
                continue
            function = found.setdefault(value, Function(value, size, [], unit))
            function.size = max(function.size, size)
            function.names.append(name)
        ordered = sorted(starts)
        for function in found.values():
            if function.size == 0:
                later = next((s for s in ordered if s > function.address), None)
                function.size = (later or self._section_end(function.address)) - function.address
        return [found[a] for a in sorted(found)]

    def _section_end(self, address):
        for section in self.sections:
            if section.flags & SHF_ALLOC and section.address <= address < section.address + section.size:
                return section.address + section.size
        return address

    def read(self, address, size):
        for section in self.sections:
            if (section.flags & SHF_ALLOC and section.kind != SHT_NOBITS
                    and section.address <= address < section.address + section.size):
                start = section.offset + address - section.address
                return self.data[start:start + size]
        return b""

    def is_repeated_string_instruction(self, address):
        """Whether a rep-prefixed movs, stos, cmps, scas, lods, ins or outs is here."""
        repeated = False
        for byte in self.read(address, 15):
            if byte in (0xF2, 0xF3):
                repeated = True
            elif byte not in PREFIXES:
                return repeated and byte in STRING_OPCODES
        return False

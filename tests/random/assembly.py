#!/usr/bin/env python3
"""Random assembly that follows no convention: procedures that take and return whatever they like in any register and
flag, call each other with flags that matter before and after, keep words in the red zone, and jump through tables, in either
syntax. Every register and flag that the woven procedures leave is what the plain ones leave.

    tests/random/assembly.py --minutes=60 --seed=1
    tests/random/assembly.py --seed=123 --count=1 --keep      that one again
"""

import sys

import woven_alike

GENERAL = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", *(f"r{n}" for n in range(8, 16))]
VECTORS = [f"xmm{n}" for n in range(16)]
CONDITIONS = ["c", "nc", "z", "nz", "s", "ns", "o", "no", "p", "np", "a", "be", "g", "le"]
FLAGS = 0x8D5  # carry, parity, adjust, zero, sign, overflow

# Loads every register and the flags from memory, calls, and stores them all.
HARNESS = """
	.text
	.globl	call_with
	.type	call_with, @function
call_with:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$24, %rsp
	movq	%rdi, (%rsp)
	movq	%rdx, 8(%rsp)
{loads}	pushq	120(%rsi)
	popfq
	movq	32(%rsi), %rsi
	call	*(%rsp)
	pushfq
	pushq	%rax
	movq	24(%rsp), %rax
{stores}	popq	%rdx
	movq	%rdx, (%rax)
	popq	%rdx
	movq	%rdx, 120(%rax)
	addq	$24, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.size	call_with, .-call_with
	.section .note.GNU-stack,"",@progbits
"""

MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct state {{ uint64_t general[16]; uint8_t vectors[16][16]; }};
void call_with(void (*procedure)(void), const struct state *in, struct state *out);
{declarations}
int main(void) {{
  static void (*const procedures[])(void) = {{{names}}};
  uint64_t seed = {seed};
  for (int round = 0; round < 6; round++) {{
    for (unsigned p = 0; p < sizeof procedures / sizeof *procedures; p++) {{
      struct state in, out;
      for (unsigned i = 0; i < sizeof in / 8; i++) {{
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t word = seed >> 11;
        memcpy((char *)&in + 8 * i, &word, 8);
      }}
      in.general[15] = (in.general[15] & {flags}) | 2;
      memset(&out, 0, sizeof out);
      call_with(procedures[p], &in, &out);
      out.general[15] &= {flags};
      printf("%d %u:", round, p);
      for (int i = 0; i < 16; i++) printf(" %lx", (unsigned long)out.general[i]);
      for (int i = 0; i < 16; i++) {{
        uint64_t halves[2];
        memcpy(halves, out.vectors[i], 16);
        printf(" %lx.%lx", (unsigned long)halves[0], (unsigned long)halves[1]);
      }}
      puts("");
    }}
  }}
  return 0;
}}
"""


def harness():
    loads = "".join(f"\tmovq\t{8 * i}(%rsi), %{r}\n" for i, r in enumerate(GENERAL) if r != "rsi")
    loads += "".join(f"\tmovdqu\t{128 + 16 * i}(%rsi), %{v}\n" for i, v in enumerate(VECTORS))
    stores = "".join(f"\tmovq\t%{r}, {8 * i}(%rax)\n" for i, r in enumerate(GENERAL) if r != "rax")
    stores += "".join(f"\tmovdqu\t%{v}, {128 + 16 * i}(%rax)\n" for i, v in enumerate(VECTORS))
    return HARNESS.format(loads=loads, stores=stores)


def half(register):
    return f"{register}d" if register[1:].isdigit() else "e" + register[1:]


def byte(register):
    if register[1:].isdigit():
        return f"{register}b"
    return f"{register[1]}l" if register in ("rax", "rbx", "rcx", "rdx") else f"{register[1:]}l"


class Writer:
    """Instructions in either syntax; sources come first here."""

    def __init__(self, draw, intel):
        self.draw, self.intel, self.lines, self.labels = draw, intel, [], 0

    def register(self, name):
        return name if self.intel else f"%{name}"

    def number(self, value):
        return f"{value}" if self.intel else f"${value}"

    def memory(self, displacement, base):
        return f"qword ptr [{base}{displacement:+}]" if self.intel else f"{displacement}(%{base})"

    def put(self, mnemonic, *operands):
        ordered = operands[::-1] if self.intel else operands
        self.lines.append(f"\t{mnemonic}\t{', '.join(ordered)}")

    def label(self):
        self.labels += 1
        return f".L{{}}_{self.labels}"


class Procedure:
    def __init__(self, draw, name, callees, intel):
        self.draw, self.name, self.callees = draw, name, callees
        self.w = Writer(draw, intel)
        self.kept = set()   # registers that loops around here count in
        self.depth = 0
        self.table = []
        self.calls = bool(callees) and draw.random() < 0.8

    def any(self):
        return self.draw.choice([r for r in GENERAL if r not in self.kept])

    def read(self):
        return self.draw.choice(GENERAL)

    def plain(self):
        draw, w = self.draw, self.w
        r = w.register
        kind = draw.randint(0, 16)
        if kind <= 3:
            w.put(draw.choice(["add", "sub", "xor", "and", "or", "adc", "sbb"]), r(self.read()), r(self.any()))
        elif kind == 4:
            w.put(draw.choice(["add", "sub", "adc", "sbb", "cmp"]), w.number(draw.randint(-100, 100)), r(half(self.any())))
        elif kind == 5:
            a, b, c = self.read(), self.read(), self.any()
            w.put("lea", f"[{a}+{b}*4+5]" if w.intel else f"5(%{a},%{b},4)", r(c))
        elif kind == 6:
            w.put(draw.choice(["inc", "dec", "neg", "not"]), r(draw.choice([half, str])(self.any())))
        elif kind == 7:
            w.put(f"set{draw.choice(CONDITIONS)}", r(byte(self.any())))
        elif kind == 8:
            w.put(f"cmov{draw.choice(CONDITIONS)}", r(self.read()), r(self.any()))
        elif kind == 9:
            w.put(draw.choice(["shl", "shr", "sar", "rol", "rcr"]), w.number(draw.randint(1, 31)), r(self.any()))
        elif kind == 10:
            w.put("mov", r(half(self.read())), r(half(self.any())))
        elif kind == 11:
            w.put(draw.choice(["test", "cmp"]), r(self.read()), r(self.read()))
        elif kind == 12:
            w.put(draw.choice(["paddq", "pxor", "psubd", "movdqa", "pand"]), r(draw.choice(VECTORS)), r(draw.choice(VECTORS)))
        elif kind == 13:
            if draw.random() < 0.5:
                w.put("movq", r(self.read()), r(draw.choice(VECTORS)))
            else:
                w.put("movq", r(draw.choice(VECTORS)), r(self.any()))
        elif kind == 14:
            w.put("imul", r(self.read()), r(self.any()))
        elif kind == 15:
            w.put(draw.choice(["stc", "clc", "cmc"]))
        else:
            w.put("bt", w.number(draw.randint(0, 63)), r(self.read()))

    def red_zone(self):
        w, place = self.w, -8 * self.draw.randint(1, 16)
        w.put("mov", w.register(self.read()), w.memory(place, "rsp"))
        self.block(2)
        w.put(self.draw.choice(["mov", "add", "adc"]), w.memory(place, "rsp"), w.register(self.any()))

    def branch(self):
        w, out = self.w, self.w.label()
        w.put(f"j{self.draw.choice(CONDITIONS)}", out)
        self.block(3)
        w.lines.append(f"{out}:")

    def loop(self):
        w, again = self.w, self.w.label()
        counter = self.any()
        w.put("mov", w.number(self.draw.randint(1, 5)), w.register(half(counter)))
        w.lines.append(f"{again}:")
        self.kept.add(counter)
        calls, self.calls = self.calls, False
        self.block(3)
        self.calls = calls
        self.kept.discard(counter)
        w.put("dec", w.register(half(counter)))
        w.put("jnz", again)

    def call(self):
        w = self.w
        # Not by sub: where the stack lies must not be seen in flags.
        w.put("lea", "[rsp-8]" if w.intel else "-8(%rsp)", w.register("rsp"))
        if self.draw.random() < 0.6:
            w.put(self.draw.choice(["stc", "clc", "cmc"]))
        w.put("call", self.draw.choice(self.callees))
        if self.draw.random() < 0.6:
            w.put("adc", w.number(0), w.register(self.any()))
            w.put(f"set{self.draw.choice(CONDITIONS)}", w.register(byte(self.any())))
        w.put("lea", "[rsp+8]" if w.intel else "8(%rsp)", w.register("rsp"))

    def switch(self):
        """Addresses do not stay in registers: they differ between builds."""
        w, table = self.w, self.w.label()
        index, base = self.draw.sample([r for r in GENERAL if r not in self.kept], 2)
        labels, out = [w.label() for _ in range(4)], w.label()
        w.put("and", w.number(3), w.register(half(index)))
        w.put("lea", f"{table}[rip]" if w.intel else f"{table}(%rip)", w.register(base))
        w.put("movsxd" if w.intel else "movslq", f"dword ptr [{base}+{index}*4]" if w.intel else f"(%{base},%{index},4)",
              w.register(index))
        w.put("add", w.register(base), w.register(index))
        w.put("jmp", index if w.intel else f"*%{index}")
        for label in labels:
            w.lines.append(f"{label}:")
            for register in (index, base):
                w.put("mov", w.number(self.draw.randint(0, 99)), w.register(half(register)))
            # What the addresses left in flags must not be seen, either.
            w.put("cmp", w.number(1), w.register(half(index)))
            self.block(2)
            if label != labels[-1]:
                w.put("jmp", out)
        w.lines.append(f"{out}:")
        self.table += ["\t.section .rodata", "\t.p2align 2", f"{table}:", *(f"\t.long\t{label}-{table}" for label in labels), "\t.text"]

    def block(self, length):
        self.depth += 1
        for _ in range(self.draw.randint(1, length)):
            kind = self.draw.random()
            if kind < 0.62 or self.depth > 3:
                self.plain()
            elif kind < 0.74:
                self.branch()
            elif kind < 0.82:
                self.loop()
            elif kind < 0.87:
                self.switch()
            elif self.calls:
                self.call()
            elif not self.callees and kind < 0.97:
                self.red_zone()
            else:
                self.plain()
        self.depth -= 1

    def text(self, number, exported):
        self.block(9)
        if self.draw.random() < 0.2 and self.callees:
            self.w.put("jmp", self.draw.choice(self.callees))
        else:
            self.w.put("ret")
        head = [f"\t.globl\t{self.name}"] if exported else []
        body = [*head, f"\t.type\t{self.name}, @function", f"{self.name}:", *self.w.lines, f"\t.size\t{self.name}, .-{self.name}", *self.table]
        return "\n".join(body).replace("{}", str(number)) + "\n"


def make(draw, folder):
    intel = draw.random() < 0.5
    names = [f"p{i}" for i in range(draw.randint(2, 7))]
    exported = [i == 0 or draw.random() < 0.6 for i in range(len(names))]
    text = "\t.intel_syntax noprefix\n" if intel else ""
    text += "\t.text\n"
    for i, name in enumerate(names):
        text += Procedure(draw, name, names[i + 1:], intel).text(i, exported[i])
    text += '\t.att_syntax prefix\n\t.section .note.GNU-stack,"",@progbits\n'
    (folder / "procedures.s").write_text(text)
    (folder / "harness.s").write_text(harness())
    shown = [n for n, e in zip(names, exported) if e]
    (folder / "main.c").write_text(MAIN.format(declarations="".join(f"void {n}(void);\n" for n in shown), names=", ".join(shown),
                                               seed=draw.randint(1, 10**9), flags=hex(FLAGS)))
    flags = draw.choice([["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fPIC"]])
    return {"compiler": "gcc", "flags": ["-O1", *flags],
            "sources": [("procedures.s", [], True), ("harness.s", [], False), ("main.c", [], True)]}


if __name__ == "__main__":
    sys.exit(woven_alike.main(__doc__, make, "assembly"))
